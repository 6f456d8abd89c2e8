"""Main content of one page: one published method per file."""
