"""Many pages of one site: what is template, and what is content."""
