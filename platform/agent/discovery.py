"""Discovery of hosts in the shop's network: by mDNS, by SSDP, and by a search of addresses.

Announcements are hints only: a host is listed once it answers as a kind that has a driver.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import ip_address
from typing import NamedTuple

from zeroconf import InterfaceChoice, ServiceBrowser, ServiceStateChange, Zeroconf

from agent import bambu_link, ssdp
from agent.bambu import BambuPorts
from agent.connection_test import Host, NoHost, identify
from agent.elegoo import Elegoo, ElegooPorts
from agent.http_client import HttpClient, nested
from agent.sockets import Network
from machines.connections import MAX_HOSTS, MAX_TEXT, HostSource, SearchRange
from machines.drivers import NoAnswer, NotSent, Rejected, WrongKey

SERVICES = {
    "_octoprint._tcp.local.": "octoprint",
    "_moonraker._tcp.local.": "moonraker",
    "_prusalink._tcp.local.": "prusalink",
}
PORTS = (80, 5000, 7125)  # of web servers, of OctoPrint and of Moonraker
TIMEOUT = 2.0  # s for a request to a host that may not be there
PARALLEL = 32  # addresses that are tried at once
CHECK_EVERY = 30.0  # s between two questions to an announced host
FORGET_AFTER = 600.0  # s without an answer
MAX_ANNOUNCED = 200  # services: what anybody in the network may announce

logger = logging.getLogger("agent")


class DiscoveredHost(NamedTuple):
    """A host in the network.

    title : name and version; name: that it announces, empty without one
    at    : when it answered, s of the monotonic clock
    """

    driver: str
    title: str
    name: str
    address: str
    discovered_by: HostSource
    at: float


class HostFinder:
    """Hosts that were discovered: at most MAX_HOSTS, the ones that answered last.

    networks   : which addresses may be reached
    interfaces : addresses of network interfaces to listen on; None: all
    ssdp_port, bambu : where announcements by SSDP come to, and what those printers listen on
    """

    def __init__(
        self,
        networks: Sequence[Network],
        interfaces: Sequence[str] | None = None,
        *,
        ssdp_port: int = ssdp.PORT,
        bambu: BambuPorts | None = None,
    ):
        self._networks, self._interfaces = networks, interfaces
        self._ssdp_port, self._bambu = ssdp_port, bambu or BambuPorts()
        self._announced_at: dict[str, float] = {}  # addresses of SSDP, when they were tried last
        self._lock, self._changed = threading.Lock(), threading.Event()
        self._announced: dict[str, str] = {}  # names of services, with their type
        self._hosts: dict[str, DiscoveredHost] = {}  # by address

    def start(self) -> None:
        """Listen for announcements, in threads of its own."""
        threading.Thread(target=self._run, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()

    def hosts(self) -> list[DiscoveredHost]:
        """Return the hosts that answered of late, the last one first."""
        oldest = time.monotonic() - FORGET_AFTER
        with self._lock:
            rows = [row for row in self._hosts.values() if row.at > oldest]
            rows = sorted(rows, key=lambda row: -row.at)[:MAX_HOSTS]
            self._hosts = {row.address: row for row in rows}
        return rows

    def search(self, wanted: SearchRange) -> None:
        """Try all addresses, PARALLEL at once, each port for at most TIMEOUT."""
        with ThreadPoolExecutor(PARALLEL) as pool:
            for rows in pool.map(lambda each: self._at(each, wanted.port), wanted.addresses):
                for row in rows:
                    self._add(row)

    def _at(self, address: str, port: int | None) -> list[DiscoveredHost]:
        """Return the hosts at an address, one of each kind.

        Moonraker's own port counts before that of its pages, OctoPrint's after that of a proxy.
        """
        rows: dict[str, DiscoveredHost] = {}
        for each in (port,) if port else PORTS:
            if row := self._recognised(_url(address, each), HostSource.SEARCH):
                if row.driver not in rows or row.driver == "moonraker":
                    rows[row.driver] = row
        return [*rows.values()] or self._printers_at(address, port)

    def _printers_at(self, address: str, port: int | None) -> list[DiscoveredHost]:
        """Return the printer without an HTTP API at an address."""
        url, now = _url(address, port or 80), time.monotonic()
        elegoo = Elegoo(address, self._networks, ElegooPorts(port or ElegooPorts().sdcp))
        mqtt = port or BambuPorts().mqtt
        for recogniser in (
            partial(bambu_link.recognise, address, mqtt, self._networks, TIMEOUT),
            elegoo.identify,
        ):
            try:
                host = recogniser()
                return [DiscoveredHost(host.driver, host.title, "", url, HostSource.SEARCH, now)]
            except (NotSent, NoAnswer, Rejected):
                continue
            finally:
                elegoo.close()
        return []

    def _recognised(
        self, url: str, discovered_by: HostSource, name: str = ""
    ) -> DiscoveredHost | None:
        client = HttpClient(url, {}, self._networks, timeout=TIMEOUT)
        try:
            host = recognise(client)
        except (NotSent, NoAnswer, Rejected):
            return None
        return DiscoveredHost(host.driver, host.title, name, url, discovered_by, time.monotonic())

    def _add(self, row: DiscoveredHost) -> None:
        with self._lock:
            self._hosts[row.address] = row

    # ---------------------------------------------------------------- SSDP

    def _listen(self) -> None:
        try:
            listener = ssdp.open_listener(self._ssdp_port, self._interfaces)
        except OSError as error:
            logger.warning("No SSDP, only a search discovers printers of Bambu Lab: %s", error)
            return
        with listener:
            while True:
                packet, sender = listener.recvfrom(ssdp.MAX_PACKET)
                try:
                    self._announce(packet, sender[0])
                except Exception:
                    logger.exception("Discovery by SSDP failed")

    def _announce(self, packet: bytes, address: str) -> None:
        """Try the printer that a packet announces: each address once in CHECK_EVERY."""
        announced, now = ssdp.parse_announcement(packet), time.monotonic()
        tried = self._announced_at
        if announced is None or now - tried.get(address, -CHECK_EVERY) < CHECK_EVERY:
            return
        if len(tried) >= MAX_ANNOUNCED and address not in tried:
            self._announced_at = tried = {
                each: at for each, at in tried.items() if now - at < CHECK_EVERY
            }
            if len(tried) >= MAX_ANNOUNCED:
                return
        tried[address] = now
        try:
            host = bambu_link.recognise(address, self._bambu.mqtt, self._networks, TIMEOUT)
        except (NotSent, NoAnswer, Rejected):
            return
        if host.title.endswith(f" {announced.serial}"):  # its certificate has the serial number
            title = _line(f"Bambu Lab {announced.model} {announced.serial}".replace("  ", " "))
            url = _url(address, 80)
            source = HostSource.SSDP
            self._add(DiscoveredHost(host.driver, title, announced.name, url, source, now))

    # ---------------------------------------------------------------- mDNS

    def _run(self) -> None:
        try:
            zeroconf = Zeroconf(interfaces=self._interfaces or InterfaceChoice.All)
        except OSError as error:
            logger.warning("No mDNS, only a search discovers hosts: %s", error)
            return
        ServiceBrowser(zeroconf, [*SERVICES], handlers=[self._note])
        while True:
            self._changed.clear()
            try:
                self._check(zeroconf)
            except Exception:
                logger.exception("Discovery failed")
            self._changed.wait(CHECK_EVERY)

    def _note(
        self, zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        """Keep the name of a service; this runs in the thread of zeroconf, which must not wait."""
        with self._lock:
            if state_change is ServiceStateChange.Removed:
                self._announced.pop(name, None)
            elif len(self._announced) < MAX_ANNOUNCED:
                self._announced[name] = service_type
        self._changed.set()

    def _check(self, zeroconf: Zeroconf) -> None:
        with self._lock:
            announced = list(self._announced.items())
        with ThreadPoolExecutor(PARALLEL) as pool:
            for row in pool.map(lambda row: self._resolved(zeroconf, *row), announced):
                if row:
                    self._add(row)

    def _resolved(self, zeroconf: Zeroconf, name: str, kind: str) -> DiscoveredHost | None:
        info = zeroconf.get_service_info(kind, name, timeout=int(TIMEOUT * 1000))
        if info is None or not info.port:
            return None
        shown = _line(name.removesuffix(f".{kind}"))
        for address in sorted(info.parsed_addresses(), key=lambda each: ":" in each)[:4]:
            if ip_address(address.partition("%")[0]).is_link_local:
                continue
            row = self._recognised(_url(address, info.port), HostSource.MDNS, shown)
            if row:
                return _with_version(row, info.decoded_properties.get("version"))
        return None


def recognise(client: HttpClient) -> Host:
    """Return which host answers, without its key; its version where it tells it to strangers.

    Raises NotSent or NoAnswer without an answer, NoHost for anything else.
    """
    try:
        return identify(client)
    except WrongKey:
        for has_signs, driver, title in _SIGNS:
            try:
                if has_signs(client):
                    return Host(driver, title)
            except NoAnswer:  # to this question: no JSON
                continue
    raise NoHost("The host asks for a key, and is of no known kind.")


def _is_octoprint(client: HttpClient) -> bool:
    """It answers so where a program may ask for an application key."""
    return client.ask("GET", "/plugin/appkeys/probe").status == 204


def _is_moonraker(client: HttpClient) -> bool:
    """Its errors have a code, a message and a traceback."""
    answer = client.ask("GET", "/server/info")
    error = nested(answer.json(), "error") if answer.status == 401 else None
    return nested(error, "code") == 401 and nested(error, "traceback") is not None


def _is_prusalink(client: HttpClient) -> bool:
    answer = client.ask("GET", "/api/v1/info")
    return answer.status == 401 and answer.challenge.lower().startswith(("digest ", "apikey"))


_SIGNS: Sequence[tuple[Callable[[HttpClient], bool], str, str]] = (
    (_is_octoprint, "octoprint", "OctoPrint"),
    (_is_moonraker, "moonraker", "Moonraker"),
    (_is_prusalink, "prusalink", "PrusaLink"),
)


def _with_version(row: DiscoveredHost, version: str | None) -> DiscoveredHost:
    """Add the announced version, where the host tells none to strangers."""
    if not version or any(each.isdigit() for each in row.title):
        return row
    return row._replace(title=_line(f"{row.title} {version}"))


def _url(address: str, port: int) -> str:
    host = f"[{address}]" if ":" in address else address
    return f"http://{host}" if port == 80 else f"http://{host}:{port}"


def _line(text: str) -> str:
    return "".join(each for each in text[:MAX_TEXT] if each.isprintable()).strip()
