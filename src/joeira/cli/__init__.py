"""The command line: one module per command, and everything that touches files."""

import gc
import os
import sys

__all__ = ["main"]


def main() -> None:
    """Run the command that the arguments name."""
    if sys.argv[1:2] == ["batch"]:
        # Only its workers compute; the threads that numpy's library starts would wait busily.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.disable()  # nothing that is imported is garbage: looking for it takes a tenth of the time
    from joeira.cli import app

    gc.freeze()
    gc.enable()
    app.main()
