"""Bound on the open connections of a network: those that are idle the longest are ended.

The server itself bounds all connections together, so that one client which opens thousands and
sends nothing would keep everybody else waiting.
"""

import os
import socket
import struct
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from core.web.throttling import client_prefix, is_trusted_proxy

MAX_OF_NETWORK = 512
INTERVAL = 0.5  # s between two looks
# Milliseconds since data was last sent and received, in `struct tcp_info` of linux/tcp.h.
_LAST_SENT, _LAST_RECEIVED, _TCP_INFO_BYTES = 44, 52, 104


class Connection(NamedTuple):
    """An open connection of this process.

    peer : address and port of the other side
    idle : ms since anything was sent or received
    """

    file: int
    peer: tuple[str, int]
    idle: int


def watch() -> None:
    """End excess connections of this process from now on, in a thread."""

    def watch_on() -> None:
        while True:
            time.sleep(INTERVAL)
            end_excess()

    threading.Thread(target=watch_on, name="connection limits", daemon=True).start()


def end_excess(limit: int = MAX_OF_NETWORK) -> int:
    """End connections of each network beyond `limit`; return how many were ended.

    Those of trusted proxies, which bring the requests of many clients, are not counted.
    """
    names = os.listdir("/proc/self/fd")
    if len(names) <= limit:
        return 0
    networks: dict[str, list[Connection]] = defaultdict(list)
    for connection in _connections(names):
        if not is_trusted_proxy(connection.peer[0]):
            networks[client_prefix(connection.peer[0])].append(connection)
    ended = 0
    for held in networks.values():
        held.sort(key=lambda connection: connection.idle)
        ended += sum(map(_end, held[limit:]))
    return ended


def _connections(names: list[str]) -> Iterator[Connection]:
    for name in names:
        try:
            opened = socket.socket(fileno=int(name))
        except OSError:  # no socket, or closed since
            continue
        try:
            if opened.family in (socket.AF_INET, socket.AF_INET6):
                address, port = opened.getpeername()[:2]
                info = opened.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
                idle = [
                    struct.unpack_from("=I", info, at)[0] for at in (_LAST_SENT, _LAST_RECEIVED)
                ]
                yield Connection(int(name), (address, port), min(idle))
        except OSError:  # it listens, is no TCP, or has ended
            continue
        finally:
            opened.detach()


def _end(connection: Connection) -> bool:
    """Shut a connection down, unless its file is another by now: the server then closes it."""
    try:
        with socket.socket(fileno=os.dup(connection.file)) as opened:
            if opened.getpeername()[:2] != connection.peer:
                return False
            opened.shutdown(socket.SHUT_RDWR)
    except OSError:
        return False
    return True
