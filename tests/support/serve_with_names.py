"""The program in a small world of its own, for tests of fetching: run by ``python -m``.

``WORLD`` is JSON: ``names`` says which addresses a name has, one list for each time it is asked
for, the last one for ever; ``public`` is the loopback address that stands for the public web;
``log`` is a file that gets a line for every connection that is tried.
"""

import json
import os
import socket
from pathlib import Path
from typing import Any

from joeira.cli import main
from joeira.fetch import addresses

WORLD = json.loads(os.environ["WORLD"])
LOG = Path(WORLD["log"])
_resolve = socket.getaddrinfo
_refusal = addresses.refusal


def resolve(host: str, port: int, *more: Any, **options: Any) -> Any:
    answers = WORLD["names"].get(host)
    if answers is None:
        options["flags"] = socket.AI_NUMERICHOST
        return _resolve(host, port, *more, **options)
    found = answers.pop(0) if len(answers) > 1 else answers[0]
    return [entry for each in found for entry in _resolve(each, port, *more, **options)]


def refusal(address: str) -> str:
    return "" if address == WORLD["public"] else _refusal(address)


class Socket(socket.socket):
    def connect(self, address: Any) -> None:
        with LOG.open("a") as log:
            log.write(f"{address[0]}\n")
        super().connect(address)


if __name__ == "__main__":
    socket.getaddrinfo = resolve
    socket.socket = Socket  # type: ignore[misc]  # a stand-in, for this process
    addresses.refusal = refusal
    main()
