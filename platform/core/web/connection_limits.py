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
from contextlib import suppress
from typing import NamedTuple

from core.web.throttling import client_prefix, is_trusted_proxy

MAX_OF_NETWORK = 512
INTERVAL = 0.5  # s between two looks
# Bytes of an answer that wait in the kernel to be sent, beyond what is on its way: by default some
# 2.5 MB, which a client that reads nothing would be given before its connection blocks.
MAX_UNSENT = 128 * 1024
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


def watch(port: int) -> None:
    """Bound the connections to a port of this process from now on, in a thread."""

    def watch_on() -> None:
        listens = False  # the server binds its socket after it has loaded the application
        while True:
            time.sleep(INTERVAL)
            listens = listens or bound_unsent(port) > 0
            end_excess()

    threading.Thread(target=watch_on, name="connection limits", daemon=True).start()


def bound_unsent(port: int, unsent: int = MAX_UNSENT) -> int:
    """Bound what waits to be sent on connections that a socket of this process accepts from now on.

    port : that the socket is bound to
    Returns how many such sockets there are.
    """
    bound = 0
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError), socket.socket(fileno=os.dup(int(name))) as opened:
            if opened.family in (socket.AF_INET, socket.AF_INET6) and not _has_peer(opened):
                if opened.getsockname()[1] == port:  # connections have the option of their listener
                    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, unsent)
                    bound += 1
    return bound


def _has_peer(opened: socket.socket) -> bool:
    try:
        opened.getpeername()
    except OSError:
        return False
    return True


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
