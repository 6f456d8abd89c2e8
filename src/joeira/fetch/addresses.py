"""Which web addresses may be fetched: the URL itself, and the IP address behind its name.

A page can make us connect to whatever it names: by a link, a redirect, or a name that resolves to
an address inside our own network. So every hop is checked here, and the connection is then made to
the very address that was checked.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import quote, urlsplit, urlunsplit

from joeira.errors import FetchError

MAX_URL_CHARS = 8_000
_PORTS = {"http": 80, "https": 443}

# The special-purpose registries of IANA, with what stands in the way of a page being there.
_REFUSED = {
    ipaddress.ip_network(network): reason
    for network, reason in {
        "0.0.0.0/8": "an unspecified address",
        "10.0.0.0/8": "a private address",
        "100.64.0.0/10": "an address shared by a provider (CGNAT)",
        "127.0.0.0/8": "a loopback address",
        "169.254.0.0/16": "a link-local address",
        "172.16.0.0/12": "a private address",
        "192.0.0.0/24": "a reserved address",
        "192.0.2.0/24": "an address for documentation",
        "192.88.99.0/24": "an address of a 6to4 relay",
        "192.168.0.0/16": "a private address",
        "198.18.0.0/15": "an address for benchmarking",
        "198.51.100.0/24": "an address for documentation",
        "203.0.113.0/24": "an address for documentation",
        "224.0.0.0/4": "a multicast address",
        "240.0.0.0/4": "a reserved address",
        "::/128": "an unspecified address",
        "::1/128": "a loopback address",
        # Forms that carry an IPv4 address but are no place for a web server today: refused whatever
        # they carry.
        "::/96": "an IPv4-compatible address",
        "64:ff9b:1::/48": "an address of a local NAT64",
        "2001::/32": "a Teredo address",
        "2002::/16": "a 6to4 address",
        "100::/64": "a discard address",
        "2001::/23": "a reserved address",
        "2001:db8::/32": "an address for documentation",
        "3fff::/20": "an address for documentation",
        "fc00::/7": "a private address",
        "fe80::/10": "a link-local address",
        "fec0::/10": "a site-local address",
        "ff00::/8": "a multicast address",
    }.items()
}
_GLOBAL_IPV6 = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


def refusal(address: str) -> str:
    """Return why no connection may be made to an IP address; '' when it is a public one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return "not an IP address"
    inner = _carried(parsed)
    for network, reason in _REFUSED.items():
        if inner in network:
            return reason
    if isinstance(inner, IPv6Address) and (inner.scope_id or inner not in _GLOBAL_IPV6):
        return "a reserved address"
    return ""


def _carried(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address inside an IPv4-mapped or NAT64 address, which public sites do use."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped:
            return address.ipv4_mapped
        if address in _NAT64:
            return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


@dataclass(frozen=True)
class Target:
    """A checked URL in the parts that a request needs."""

    url: str
    scheme: str
    host: str
    port: int
    path: str
    """With the query."""

    @property
    def host_header(self) -> str:
        """Host and, where it is not the usual one, port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """The part of the URL that one robots.txt speaks for."""
        return f"{self.scheme}://{self.host_header}"


def check(url: str, *, allow_private: bool) -> Target:
    """Return the parts of a URL, or raise `FetchError` when it is not one to fetch."""
    if len(url) > MAX_URL_CHARS:
        raise FetchError(f"the address is longer than {MAX_URL_CHARS} characters")
    # Before urlsplit, which removes line breaks without a word.
    if re.search(r"[\x00-\x20\x7f-\x9f\\]", url):
        raise FetchError("the address contains spaces, backslashes or control characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise FetchError(f"not a web address: {error}") from None
    if parts.scheme not in _PORTS:
        raise FetchError("only http and https addresses can be fetched")
    if "@" in parts.netloc:
        raise FetchError("addresses with a user name or password cannot be fetched")
    if port == 0:
        raise FetchError("there is no port 0")
    host = _host(host, allow_private=allow_private)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=~?[]")
    target = Target("", parts.scheme, host, port or _PORTS[parts.scheme], path)
    url = urlunsplit((parts.scheme, target.host_header, path, query, ""))
    full_path = f"{path}?{query}" if query else path
    return Target(url, parts.scheme, host, target.port, full_path)


def _host(host: str, *, allow_private: bool) -> str:
    if ":" in host:
        if not allow_private and (reason := refusal(host)):
            raise FetchError(private(host, reason))
        return host
    try:
        # Also folds other digits and dots: what follows sees what a resolver would see.
        name = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        name = ""
    if not re.fullmatch(r"[a-z0-9_]([a-z0-9._-]*)", name):
        raise FetchError("the address has no valid host name")
    if not allow_private and _is_odd_number(name):
        raise FetchError(private(host, "an IP address in an unusual spelling"))
    return name


def _is_odd_number(name: str) -> bool:
    """Return whether a resolver might read the name as an IPv4 address that we cannot see."""
    if not re.fullmatch(r"(0x[0-9a-f]*|[0-9]+)", name.rstrip(".").rpartition(".")[2]):
        return False
    try:
        return str(IPv4Address(name)) != name
    except ValueError:
        return True


def private(host: str, reason: str) -> str:
    """Return the message for a host that is refused for its address."""
    return f"{host} is {reason}, which needs --allow-private"
