"""Default gateway: the proxy on a container's host, for TRUSTED_PROXIES."""

from ipaddress import IPv4Address
from pathlib import Path

ROUTES = Path("/proc/net/route")


def default_gateway(routes: str) -> str | None:
    """The gateway of the default route, of a table as Linux shows it; None without one."""
    for line in routes.splitlines()[1:]:
        _, destination, gateway, *_ = line.split()
        if destination == "00000000":
            return str(IPv4Address(bytes.fromhex(gateway)[::-1]))
    return None


def own_gateway() -> str | None:
    """That of this machine, or container."""
    try:
        return default_gateway(ROUTES.read_text())
    except OSError:
        return None
