"""The settings of a service."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from pathlib import Path

from joeira.errors import require
from joeira.isolation.work import Limits

LOCAL_NAMES = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class Settings:
    """Where a service listens, what it may do, and the limits it keeps."""

    host: str = "127.0.0.1"
    port: int = 8377
    workers: int | None = None
    """Processes that work on pages; one for each processor if not given."""
    data: Path | None = None
    """Folder of the store; without one, sites are forgotten when the service ends."""
    allow_fetch: bool = False
    token: str | None = None
    """What clients have to show, if anything."""
    tokens: tuple[str, ...] = ()
    """The same, where several clients have one each."""
    rate: int | None = None
    """So many requests may each token send in a minute, or each address where there is none."""
    hostnames: tuple[str, ...] = ()
    """Names under which the service is reached, besides those of this computer and `host`."""
    limits: Limits = field(default_factory=lambda: Limits(seconds=10.0))
    """What one page may use."""
    max_body_bytes: int = 20_000_000
    """Size of a request's body, also when it is decompressed."""
    body_seconds: float = 30.0
    """A body has to arrive in this time, and so has what comes before it."""
    max_waiting: int = 64
    """So many requests may wait for a worker; more get an error that says when to try again."""
    held_bytes: int = 400_000_000
    """So much may the bodies of all requests hold."""
    max_sites: int = 1000

    def __post_init__(self) -> None:
        """Refuse what cannot be served."""
        require(self.workers is None or self.workers >= 1, "there must be at least one worker")
        require(0 <= self.port <= 65_535, "the port must be between 0 and 65535")
        require(all(token.strip() for token in self._given_tokens), "the token is empty")
        require(self.rate is None or self.rate >= 1, "the rate must be at least 1 per minute")
        require(self.max_waiting >= 0, "the number of waiting requests must not be negative")
        require(self.max_body_bytes >= 1, "the body limit must be at least 1 byte")
        require(self.body_seconds > 0, "the time limit of a body must be more than 0 s")

    @property
    def _given_tokens(self) -> tuple[str, ...]:
        return self.tokens if self.token is None else (self.token, *self.tokens)

    @property
    def all_tokens(self) -> tuple[str, ...]:
        """Every token that lets a client in."""
        return tuple(dict.fromkeys(token.strip() for token in self._given_tokens))

    @property
    def is_local(self) -> bool:
        """Whether only programs of this computer can reach the service."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def known_names(self) -> frozenset[str]:
        """Names that a request may be addressed to, in lower case and without brackets."""
        names = (*LOCAL_NAMES, self.host, *self.hostnames)
        return frozenset(name.lower().strip("[]") for name in names)
