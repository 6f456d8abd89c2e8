"""How many random pages a property test tries.

The same ones in every run, so that nobody's change fails for another's luck. To explore instead:
``JOEIRA_EXAMPLES=5000 pytest tests/property``.
"""

from __future__ import annotations

import os

from hypothesis import settings

_wanted = os.environ.get("JOEIRA_EXAMPLES")
EXAMPLES = settings(
    max_examples=int(_wanted or 100), deadline=None, derandomize=_wanted is None, print_blob=True
)
