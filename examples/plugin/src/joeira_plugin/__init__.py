"""A content method and an output format for Joeira."""
