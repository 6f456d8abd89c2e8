"""``python -m joeira`` is the same as ``joeira``."""

from joeira.cli import main

main()
