"""What the service counts, in the text format of Prometheus."""

from __future__ import annotations

import os
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from joeira._version import __version__

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
Labels = tuple[tuple[str, str], ...]


class Metrics:
    """Counts requests and the seconds they took."""

    def __init__(self) -> None:
        """Begin at zero."""
        self._requests: Counter[tuple[str, int]] = Counter()
        self._seconds: dict[str, list[int]] = {}
        self._sums: Counter[str] = Counter()
        self._began = time.time()

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request; `route` is one of a few, never what a client sent."""
        self._requests[route, status] += 1
        buckets = self._seconds.setdefault(route, [0] * (len(BUCKETS) + 1))
        buckets[bisect_left(BUCKETS, seconds)] += 1
        self._sums[route] += seconds  # type: ignore[assignment]  # a Counter adds any numbers

    def text(self, now: Mapping[str, float], ends: Mapping[str, int]) -> str:
        """Return everything; `now` are values of this moment by name, `ends` those of calls."""
        lines = ["# TYPE joeira_info gauge", f'joeira_info{{version="{__version__}"}} 1']
        lines += _family(
            "joeira_requests_total",
            "counter",
            (
                ((("route", route), ("status", str(status))), number)
                for (route, status), number in sorted(self._requests.items())
            ),
        )
        lines.append("# TYPE joeira_request_seconds histogram")
        for route, buckets in sorted(self._seconds.items()):
            lines += self._histogram(route, buckets)
        calls = (((("end", end),), number) for end, number in sorted(ends.items()))
        lines += _family("joeira_calls_total", "counter", calls)
        gauges = {
            **{f"joeira_{name}": value for name, value in now.items()},
            "process_start_time_seconds": self._began,
            "process_resident_memory_bytes": _resident_bytes(),
        }
        for name, value in gauges.items():
            lines += _family(name, "gauge", [((), value)])
        return "\n".join(lines) + "\n"

    def _histogram(self, route: str, buckets: list[int]) -> list[str]:
        lines, total = [], 0
        for bound, number in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
            total += number
            labels = _labels((("route", route), ("le", bound)))
            lines.append(f"joeira_request_seconds_bucket{labels} {total}")
        labels = _labels((("route", route),))
        lines.append(f"joeira_request_seconds_sum{labels} {self._sums[route]:.6f}")
        lines.append(f"joeira_request_seconds_count{labels} {total}")
        return lines


def _family(name: str, kind: str, values: Iterable[tuple[Labels, float]]) -> list[str]:
    return [f"# TYPE {name} {kind}"] + [
        f"{name}{_labels(labels)} {value}" for labels, value in values
    ]


def _labels(labels: Labels) -> str:
    pairs = ",".join(f'{name}="{value}"' for name, value in labels)
    return f"{{{pairs}}}" if pairs else ""


def _resident_bytes() -> int:
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0
