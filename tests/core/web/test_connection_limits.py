"""Connections of one network beyond a bound are ended, the idle ones first."""

import os
import socket
from contextlib import ExitStack, suppress
from ipaddress import ip_network

from core.web.connection_limits import MAX_UNSENT, _connections, bound_unsent, end_excess
from tests.waiting import wait_for


def accepted(
    stack: ExitStack, count: int, address: str
) -> list[tuple[socket.socket, socket.socket]]:
    """So many connections from an address: each end at the client, and at the server."""
    listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    pairs = []
    for _ in range(count):
        client = socket.create_connection(listener.getsockname(), source_address=(address, 0))
        pairs.append((stack.enter_context(client), stack.enter_context(listener.accept()[0])))
    return pairs


def is_open(server: socket.socket) -> bool:
    server.settimeout(0)
    try:
        return bool(server.recv(1))
    except BlockingIOError:
        return True


def test_idle_connections_of_a_network_beyond_the_limit_are_ended(settings):
    # Both ends are in this process: the clients' ends, whose peer is 127.0.0.1, are not counted.
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.9/32"), ip_network("127.0.0.1/32")]
    with ExitStack() as stack:
        many = accepted(stack, 40, "127.0.0.7")
        few = accepted(stack, 5, "127.0.0.8")
        proxied = accepted(stack, 40, "127.0.0.9")

        ended = end_excess(limit=10)

        counts = [sum(is_open(server) for _, server in pairs) for pairs in (many, few, proxied)]
        assert (ended, counts) == (30, [10, 5, 40])


def test_connections_that_just_sent_something_stay_open(settings):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1/32")]
    with ExitStack() as stack:
        pairs = accepted(stack, 30, "127.0.0.7")
        wait_for(lambda: min(idle_times("127.0.0.7")) >= 50)
        for client, _ in pairs[7:9]:
            client.sendall(b"GET")

        end_excess(limit=2)

        assert [server.recv(3) for _, server in pairs[7:9]] == [b"GET", b"GET"]
        assert sum(is_open(server) for _, server in pairs) == 2


def test_answer_that_is_not_read_fills_no_large_send_buffer():
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        unbounded = buffered_by(stack, listener)

        assert bound_unsent(listener.getsockname()[1]) == 1

        bounded = buffered_by(stack, listener)
        # What the client's own buffer takes is sent, and not counted.
        assert bounded <= 4 * MAX_UNSENT < unbounded


def buffered_by(stack: ExitStack, listener: socket.socket) -> int:
    """How many bytes a new connection takes of an answer of which the client reads nothing."""
    stack.enter_context(socket.create_connection(listener.getsockname()))
    server = stack.enter_context(listener.accept()[0])
    server.settimeout(0)
    taken = 0
    with suppress(BlockingIOError):
        while True:
            taken += server.send(bytes(1 << 15))
    return taken


def idle_times(address: str) -> list[int]:
    """How long each connection from an address is idle, ms."""
    return [
        connection.idle
        for connection in _connections(os.listdir("/proc/self/fd"))
        if connection.peer[0] == address
    ]
