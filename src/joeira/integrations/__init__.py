"""Joeira as a part of other programs; each module needs the one it is named after."""
