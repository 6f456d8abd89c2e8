"""Functions of other libraries, done by Joeira: change one import to switch."""
