"""SSRF policy: which URLs and IP addresses outbound requests may reach."""

import functools
import re
import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from django.conf import settings
from yarl import URL

MAX_URL_LENGTH = 2048
# Ports of the Fetch standard's list that speak something a request could be mistaken for, and
# those of databases and caches that answer anybody.
BAD_PORTS = frozenset(
    (0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101)
    + (102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389)
    + (427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636)
    + (989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665)
    + (6666, 6667, 6668, 6669, 6679, 6697, 10080)
    + (3306, 5432, 6379, 9200, 9300, 11211, 27017)
)
# The only IPv6 addresses that are handed out for the public internet.
_GLOBAL_V6 = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
# Global by their number, for some versions of Python at least, and still no place of a client's:
# Azure's host, protocol assignments, the 6to4 relays, documentation.
_DENIED = tuple(
    ip_network(item) for item in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20")
)


class ForbiddenUrl(ValueError):
    """A URL that the platform does not request; the text has the reason and the remedy."""


def validate_url(url: str) -> None:
    """Raise ForbiddenUrl if a client's `url` can never be requested.

    Host names are not looked up here: addresses are checked when a socket is opened.
    """
    if len(url) > MAX_URL_LENGTH:
        raise ForbiddenUrl(f"The URL is too long: use one of at most {MAX_URL_LENGTH} characters.")
    if sink_token(url) is None:
        parse(url)


def origin_of(url: str) -> str:
    """Scheme, host and port of a URL, in one spelling."""
    parsed = parse(url) if sink_token(url) is None else URL(url)
    host = (parsed.raw_host or "").rstrip(".").lower()
    return f"{parsed.scheme}://{f'[{host}]' if ':' in host else host}:{parsed.port}"


def sink_token(url: str) -> str | None:
    """Return the token of the sink of `url`; None for any other URL.

    Sinks are the only URLs of the platform that clients may name. They record deliveries without a
    request: `send` rejects their URLs like all others of the platform.
    """
    found = re.fullmatch(re.escape(settings.SINK_URL) + r"([\w-]{43})/?(?:\?[!-~]*)?", url, re.A)
    return found[1] if found else None


def allowed(address: str) -> bool:
    """Whether a socket may be opened to this IP address.

    Public addresses may be reached, and what OUTBOUND_ALLOW names. An IPv4 address inside an
    IPv6 one (mapped, 6to4, NAT64) is judged as what it is.
    """
    return _allowed(address, tuple(settings.OUTBOUND_ALLOW))


@functools.lru_cache(maxsize=4096)
def _allowed(address: str, besides: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    ip = _unwrap(ip_address(address.partition("%")[0]))
    if any(ip in network for network in besides):
        return True
    if ip.version == 6 and ip not in _GLOBAL_V6:
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in _DENIED)


def parse(url: str, *, own: bool = False) -> URL:
    """`url`, byte for byte as it will be requested."""
    if "\\" in url or " " in url or not url.isprintable():  # of all spaces that one is printable
        raise ForbiddenUrl(
            "The URL contains a space, a control character or a backslash: percent-encode it."
        )
    try:
        parsed = URL(url, encoded=url.isascii())
        host, port = parsed.raw_host or "", parsed.port
    except ValueError as error:
        raise ForbiddenUrl(f"This is not a URL: {error}") from error
    if parsed.scheme not in ("http", "https"):
        raise ForbiddenUrl("The URL must begin with http:// or https://.")
    if not host or "%" in host:
        raise ForbiddenUrl("The URL has no valid host: write http://host.example/path.")
    if parsed.raw_user is not None or parsed.raw_password is not None:
        raise ForbiddenUrl(
            "The URL holds a user name or password: put a secret into its path or query instead."
        )
    if port in BAD_PORTS:
        raise ForbiddenUrl(f"Port {port} belongs to another protocol: use 80, 443 or one above.")
    if not own:
        _check_host(host.rstrip(".").lower())
    return parsed


def _check_host(host: str) -> None:
    parent = settings.PARENT_HOST
    if host == parent or host.endswith(f".{parent}") or host in settings.STOREFRONT_DOMAINS:
        raise ForbiddenUrl(
            f"The host {host} is this platform itself: give the URL of a server of your own."
        )
    try:
        address = str(ip_address(host))
    except ValueError:
        try:
            # Spellings that the system's resolver takes for an address: 127.1, 0x7f000001 ...
            address = socket.inet_ntoa(socket.inet_aton(host))
        except OSError:
            return
    if not allowed(address):
        raise ForbiddenUrl(private_address_reason(address))


def private_address_reason(which: str) -> str:
    """Why an address is not requested, in a sentence."""
    return (
        f"The address {which} is not a public one: use a public host, or have the operator "
        "name its network in the setting OUTBOUND_ALLOW."
    )


def _unwrap(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """Return the IPv4 address embedded in an IPv6 one, if any."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _NAT64:
        return IPv4Address(int(ip) & 0xFFFF_FFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip
