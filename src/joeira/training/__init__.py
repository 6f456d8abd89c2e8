"""Rebuilds the shipped models from data sets; needs the ``[train]`` extra."""
