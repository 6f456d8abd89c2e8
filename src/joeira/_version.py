"""The version of Joeira: written here and nowhere else, the build reads it too."""

__version__ = "0.2.0"
