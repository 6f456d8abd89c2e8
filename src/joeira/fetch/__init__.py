"""Fetching pages: addresses are checked at connect time, robots.txt is respected, limits hold."""
