"""Rendering of kept texts: plain text, Markdown, safe HTML, plain data."""
