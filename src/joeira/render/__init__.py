"""Rendering: kept rows as text, Markdown, safe HTML and plain data, and whole pages for people."""
