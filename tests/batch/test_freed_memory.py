"""Memory that a process has freed stays with it, where the C library can be asked for that."""

import platform
import subprocess
import sys

import pytest

_FAULTS = """
import resource
{first}
def take_turns():
    for _ in range(10):
        buffers = [b"page" * 1_250_000 for _ in range(4)]
take_turns()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
take_turns()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
"""Pages of memory that the system had to clear for ten times the same buffers."""
_KEEP = "from joeira.isolation.work import keep_freed_memory; keep_freed_memory()"
_SYSTEM_PAGES = 10 * 4 * 5_000_000 // 4096


def _faults(first: str) -> int:
    done = subprocess.run(
        [sys.executable, "-c", _FAULTS.format(first=first)],
        capture_output=True,
        check=True,
        text=True,
    )
    return int(done.stdout)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of the GNU C library")
def test_memory_that_was_freed_is_used_again_without_the_system() -> None:
    """The same buffers are taken from the system again and again only by those who do not ask."""
    assert _faults("") > _SYSTEM_PAGES / 2
    assert _faults(_KEEP) < _SYSTEM_PAGES / 20
