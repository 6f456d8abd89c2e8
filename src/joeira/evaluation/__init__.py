"""Evaluation: measure methods side by side on pages with gold annotations."""
