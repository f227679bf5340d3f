"""Announcements of Bambu Lab's printers by SSDP: NOTIFY in UDP packets to port 2021.

Anybody in the network may send them: they are hints, as those of mDNS are.
"""

import re
import socket
import struct
from collections.abc import Sequence
from typing import NamedTuple

PORT, GROUP = 2021, "239.255.255.250"
MAX_PACKET, MAX_LINES, MAX_NAME = 2048, 40, 60  # bytes, lines, characters
DEVICE = "urn:bambulab-com:device:3dprinter:1"
SERIAL = re.compile(r"[0-9A-Za-z]{8,32}", re.ASCII)
CODE = re.compile(r"[0-9A-Za-z-]{1,20}", re.ASCII)
MODELS = {
    "BL-P001": "X1 Carbon",
    "BL-P002": "X1",
    "C11": "P1P",
    "C12": "P1S",
    "C13": "X1E",
    "N1": "A1 mini",
    "N2S": "A1",
}


class Announcement(NamedTuple):
    """What a printer announces; model and name may be empty."""

    serial: str
    model: str
    name: str


def parse_announcement(packet: bytes) -> Announcement | None:
    """Return what a packet announces; None for any other packet."""
    first, *lines = packet[:MAX_PACKET].decode(errors="replace").splitlines()[:MAX_LINES] or [""]
    if not first.startswith("NOTIFY "):
        return None
    fields: dict[str, str] = {}
    for line in lines:
        key, _, value = line.partition(":")
        fields.setdefault(key.strip().lower(), value.strip())
    serial, code = fields.get("usn", ""), fields.get("devmodel.bambu.com", "")
    if fields.get("nt") != DEVICE or not SERIAL.fullmatch(serial):
        return None
    name = "".join(each for each in fields.get("devname.bambu.com", "") if each.isprintable())
    model = MODELS.get(code, code) if CODE.fullmatch(code) else ""
    return Announcement(serial, model, name[:MAX_NAME].strip())


def open_listener(port: int, interfaces: Sequence[str] | None) -> socket.socket:
    """Return a socket that receives announcements; raises OSError where the port is taken.

    interfaces : addresses of network interfaces; None: the one of the default route
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("", port))  # noqa: S104  broadcasts come to no address of ours
        for interface in interfaces or ["0.0.0.0"]:  # noqa: S104
            member = struct.pack("4s4s", socket.inet_aton(GROUP), socket.inet_aton(interface))
            listener.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, member)
    except OSError:
        listener.close()
        raise
    return listener
