"""Connection tests and found hosts: their terms, and the addresses that a search covers."""

from enum import StrEnum
from ipaddress import ip_address, ip_network
from typing import NamedTuple

MAX_ADDRESSES = 256  # of a search: a /24
MAX_HOSTS = 50  # that an agent reports
MAX_TEXT = 60  # characters of a name or version


class TestStep(StrEnum):
    """A step of a connection test, in the order in which they are done."""

    REACH = "reach"
    KEY = "key"
    KIND = "kind"
    PRINTER = "printer"
    UPLOAD = "upload"
    DELETE = "delete"


class StepResult(StrEnum):
    """What came of a step."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"  # the machine prints, or waits for a person: it is not disturbed


class TestProblem(StrEnum):
    """Why a step failed, by what a person can do about it."""

    NOT_REACHABLE = "not-reachable"
    NOT_ALLOWED = "not-allowed"  # the address is outside the agent's networks
    WRONG_KEY = "wrong-key"
    COMMANDS_OFF = "commands-off"  # the host reports its state only
    KEY_MISSING = "key-missing"  # of another address than the one whose key is stored
    NO_HOST = "no-host"
    OTHER_KIND = "other-kind"
    OUTDATED = "outdated"
    PRINTER_OFFLINE = "printer-offline"
    UPLOAD_FAILED = "upload-failed"
    DELETE_FAILED = "delete-failed"
    AGENT_SILENT = "agent-silent"  # noted by the platform
    AGENT_FAILED = "agent-failed"


class HostSource(StrEnum):
    """How a host was found."""

    MDNS = "mdns"
    SSDP = "ssdp"
    SEARCH = "search"


class SearchRange(NamedTuple):
    """Addresses of a search, and the port if only one is tried."""

    addresses: tuple[str, ...]
    port: int | None = None


def parse_addresses(text: str) -> SearchRange:
    """Return the addresses of `192.168.1.20`, `192.168.1.10-40` or `192.168.1.0/24`.

    One address, or a range of IPv4 addresses, may have a port: `192.168.1.20:5000`.

    Raises ValueError, with a sentence, for anything else, for addresses outside private networks,
    and for more than 256.
    """
    text, port = _without_port(text.strip().removeprefix("http://").rstrip("/"))
    try:
        rows = _range(text)
    except ValueError as error:
        raise ValueError(
            f"{text[:MAX_TEXT]} is no address: write 192.168.1.20, 192.168.1.10-40 or "
            "192.168.1.0/24."
        ) from error
    if len(rows) > MAX_ADDRESSES:
        raise ValueError(
            f"The range has more than {MAX_ADDRESSES} addresses: search a smaller one."
        )
    if not all(ip_address(row).is_private for row in rows):
        raise ValueError(f"{text[:MAX_TEXT]} is not in a private network: only these are searched.")
    return SearchRange(rows, port)


def _without_port(text: str) -> tuple[str, int | None]:
    bracketed, bracket, rest = text.removeprefix("[").partition("]")
    if bracket:
        return bracketed, _port(rest.removeprefix(":")) if rest else None
    if text.count(":") == 1:
        text, _, port = text.partition(":")
        return text, _port(port)
    return text, None


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:6]) < 65536):
        raise ValueError(f"{text[:MAX_TEXT]} is no port: write a number up to 65535.")
    return int(text)


def _range(text: str) -> tuple[str, ...]:
    if "/" in text:
        network = ip_network(text, strict=False)
        if network.num_addresses > MAX_ADDRESSES:
            return ("10.0.0.0",) * (MAX_ADDRESSES + 1)  # refused by the caller, and not listed
        return tuple(str(each) for each in (network.hosts() or network))
    first, dash, last = text.partition("-")
    start = ip_address(first.strip())
    if not dash:
        return (str(start),)
    last = last.strip()
    if last.isascii() and last.isdigit():
        last = f"{str(start).rpartition('.')[0]}.{int(last[:4])}"
    end = ip_address(last)
    if start.version != 4 or end.version != 4 or end < start:
        raise ValueError("no range")
    count = min(int(end) - int(start) + 1, MAX_ADDRESSES + 1)
    return tuple(str(start + each) for each in range(count))
