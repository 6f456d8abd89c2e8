"""Fetching pages: every address is checked at connect time, robots.txt heard, limits hold."""
