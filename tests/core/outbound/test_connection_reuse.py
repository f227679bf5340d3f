"""The door outward where it keeps connections: what it saves, and that nothing is lost by it."""

import asyncio
from functools import partial
from ipaddress import ip_network

import aiohttp
import pytest

from core.outbound import http
from tests.core.outbound.test_http import OK, listener, names


@pytest.fixture
def loopback(settings):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.0/8")]


def in_turn(url, count, **options):
    """The answers to so many requests of one session, which keeps its connections."""

    async def ask():
        async with http.open_session(keep=5) as session:
            return [
                await http.send(session, "POST", url, headers={}, body=b"{}", **options)
                for _ in range(count)
            ]

    return asyncio.run(ask())


def answers(connection, request, times=1000):
    """Answer so many requests of one connection; to the next one hang up without a word."""
    for _ in range(times):
        OK(connection, request)
        if not connection.recv(65536):
            return


def test_keep_alive_session_reuses_its_connection(loopback):
    with listener(answers) as (port, requests):
        found = in_turn(f"http://127.0.0.1:{port}/", 5)

    assert [answer.status for answer in found] == [200] * 5
    assert len(requests) == 1  # a listener's request is the first of a connection


def test_closed_keep_alive_connection_loses_no_request(loopback):
    with listener(partial(answers, times=1)) as (port, requests):
        found = in_turn(f"http://127.0.0.1:{port}/", 4)

    assert [answer.status for answer in found] == [200] * 4
    assert len(requests) == 4


def test_request_is_not_retried_when_new_connection_is_closed(loopback):
    with (
        listener(lambda connection, request: None) as (port, requests),
        pytest.raises(aiohttp.ServerDisconnectedError),
    ):
        in_turn(f"http://127.0.0.1:{port}/", 1)

    assert len(requests) == 1


def test_keep_alive_connection_is_not_shared_between_host_names(loopback):
    """Each name is looked up and its address checked, though both lead to one server."""

    async def ask(port):
        resolver = http.ThreadResolver(names(["127.0.0.1"], ["10.0.0.1"])[0])
        async with http.open_session(resolver, keep=5) as session:
            for host in ("a.example", "b.example"):
                await http.send(session, "POST", f"http://{host}:{port}/", headers={}, body=b"{}")

    with listener(answers) as (port, _), pytest.raises(http.Unreachable) as refused:
        asyncio.run(ask(port))

    assert refused.value.reason == "blocked"
