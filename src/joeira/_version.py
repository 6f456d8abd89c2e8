"""The version of Joeira, defined only here; the build reads it, too."""

__version__ = "0.2.0"
