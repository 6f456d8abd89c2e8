"""Which addresses are refused: the table that keeps fetching out of private networks."""

import pytest

from joeira.errors import FetchError
from joeira.fetch import addresses

REFUSED = {
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "10.0.0.1": "private",
    "10.255.255.255": "private",
    "100.64.0.1": "CGNAT",
    "100.127.255.255": "CGNAT",
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "169.254.169.254": "link-local",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.0.0.8": "reserved",
    "192.0.2.1": "documentation",
    "192.88.99.1": "6to4",
    "192.168.1.1": "private",
    "198.18.0.1": "benchmarking",
    "198.51.100.7": "documentation",
    "203.0.113.7": "documentation",
    "224.0.0.1": "multicast",
    "239.255.255.250": "multicast",
    "240.0.0.1": "reserved",
    "255.255.255.255": "reserved",
    "::": "unspecified",
    "::1": "loopback",
    "::7f00:1": "IPv4-compatible",
    "::ffff:127.0.0.1": "loopback",
    "::ffff:10.1.2.3": "private",
    "::ffff:a9fe:a9fe": "link-local",
    "64:ff9b::7f00:1": "loopback",
    "64:ff9b::a00:1": "private",
    "64:ff9b:1::808:808": "NAT64",
    "100::1": "discard",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2": "Teredo",
    "2001:10::1": "reserved",
    "2001:db8::1": "documentation",
    "2002:7f00:1::": "6to4",
    "2002:808:808::1": "6to4",
    "3fff::1": "documentation",
    "4000::1": "reserved",
    "5f00::1": "reserved",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "2606:4700::1%eth0": "reserved",
    "fec0::1": "site-local",
    "ff02::1": "multicast",
    "localhost": "not an IP address",
}
PUBLIC = [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "93.184.216.34", "100.63.255.255",
    "100.128.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0",
    "192.167.255.255", "192.169.0.0", "223.255.255.255", "2606:4700:4700::1111",
    "2a00:1450:4001::1", "::ffff:8.8.8.8", "64:ff9b::808:808",
]  # fmt: skip


@pytest.mark.parametrize("address, reason", REFUSED.items())
def test_refused(address: str, reason: str) -> None:
    assert reason in addresses.refusal(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert addresses.refusal(address) == ""


@pytest.mark.parametrize(
    "url, words",
    [
        ("file:///etc/hostname", "only http and https"),
        ("gopher://example.org/", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("data:text/html,x", "only http and https"),
        ("//example.org/", "only http and https"),
        ("http://", "no valid host"),
        ("http://user@example.org/", "user name"),
        ("http://user:secret@example.org/", "user name"),
        ("http://example.org\\@127.0.0.1/", "backslashes"),
        ("http://example.org/a\r\nHost: evil", "control characters"),
        ("http://exam\nple.org/", "control characters"),
        ("http://example.org/a b", "spaces"),
        ("http://example.org:99999/", "not a web address"),
        ("http://example.org:port/", "not a web address"),
        ("http://example.org:0/", "port 0"),
        ("http://[::1/", "not a web address"),
        ("http://[::1]/", "loopback"),
        ("http://[fe80::1%25eth0]/", "link-local"),
        ("http://[::ffff:127.0.0.1]/", "loopback"),
        ("http://2130706433/", "unusual spelling"),
        ("http://0x7f000001/", "unusual spelling"),
        ("http://0x7f.1/", "unusual spelling"),
        ("http://0177.0.0.1/", "unusual spelling"),
        ("http://127.1/", "unusual spelling"),
        ("http://127.0.0.1./", "unusual spelling"),
        ("http://１２７.１/", "unusual spelling"),
        ("http://exa%6dple.org/", "no valid host"),
        ("http://-x.example.org/", "no valid host"),
        ("http://" + "a" * 70 + ".org/", "no valid host"),
        ("http://example.org/" + "a" * 100_000, "longer than"),
    ],
)
def test_urls_that_are_not_fetched(url: str, words: str) -> None:
    with pytest.raises(FetchError, match=words):
        addresses.check(url, allow_private=False)


@pytest.mark.parametrize(
    "url, expected",
    [
        ("HTTP://Example.ORG", ("http://example.org", "/")),
        ("https://example.org:443/a?b=c#d", ("https://example.org", "/a?b=c")),
        ("http://example.org:8080/ä?ö", ("http://example.org:8080", "/%C3%A4?%C3%B6")),
        ("http://bücher.example/%20x", ("http://xn--bcher-kva.example", "/%20x")),
        ("http://[2606:4700::1]:81/", ("http://[2606:4700::1]:81", "/")),
        ("http://8.8.8.8/", ("http://8.8.8.8", "/")),
    ],
)
def test_urls_in_parts(url: str, expected: tuple[str, str]) -> None:
    target = addresses.check(url, allow_private=False)
    assert (target.origin, target.path) == expected
    assert target.url == "".join(expected)


@pytest.mark.parametrize("url", ["http://2130706433/", "http://[::1]/", "http://127.1/"])
def test_everything_private_is_allowed_when_asked_for(url: str) -> None:
    assert addresses.check(url, allow_private=True).host
