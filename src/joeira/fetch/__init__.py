"""Fetching pages: checks addresses at connect time, respects robots.txt, enforces limits."""
