"""Drop-in replacements for other libraries: change one import to switch."""
