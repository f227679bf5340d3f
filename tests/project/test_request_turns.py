"""Turns of requests in the web process."""

import asyncio
import base64
from types import SimpleNamespace

import pytest
from django.conf import settings

from core.web import guest_secrets
from project import visitor_pacing
from project.request_turns import IN_ALL, OF_CLIENT, Client, RequestTurns, client_of
from project.visitor_pacing import BURST, MAX_DEBT, SHARE


def test_client_has_four_requests_at_work_and_others_are_not_delayed():
    async def crowd() -> list[str]:
        turns, end, begun = RequestTurns(), asyncio.Event(), []

        async def request(client: str) -> None:
            async with turns.one(Client(client)):
                begun.append(client)
                await end.wait()

        async with asyncio.TaskGroup() as group:
            for _ in range(40):
                group.create_task(request("greedy"))
            await asyncio.sleep(0)
            group.create_task(request("other"))
            await asyncio.sleep(0)
            at_work = list(begun)
            end.set()
        assert len(begun) == 41
        return at_work

    assert asyncio.run(crowd()) == ["greedy"] * OF_CLIENT + ["other"]


def test_visitors_of_many_networks_take_no_place_of_accounts():
    async def crowd() -> bool:
        turns, end = RequestTurns(), asyncio.Event()

        async def visit(network: str) -> None:
            async with turns.one(Client(network, is_visitor=True)):
                await end.wait()

        async with asyncio.TaskGroup() as group:
            for number in range(2 * IN_ALL):
                group.create_task(visit(f"192.0.2.{number}"))
            await asyncio.sleep(0)
            async with asyncio.timeout(1.0), turns.one(Client("account")):
                end.set()
        return True

    assert asyncio.run(crowd())


def test_accounts_are_known_by_credentials_and_visitors_by_network():
    guest = base64.b64encode(b"eDp5:" + guest_secrets.new_secret().encode()).decode()

    def client(authorization, cookies, host="models"):
        return client_of(authorization, cookies, "192.0.2.1", host_name(host))

    assert client("Basic eDp5", ["sessionid=a"]) == Client("Basic eDp5")
    assert client("", ["sessionid=a"]) == Client("sessionid=a")
    # A guest who sends the cookie of an account is still a guest.
    as_guest = client(f"Basic {guest}", ["sessionid=a"])
    assert as_guest == Client("192.0.2.1", f"Basic {guest}", is_visitor=True)
    for host in ("integrations", "users", "admin"):
        assert client("", [], host) == Client("192.0.2.1")
    for host in ("sales", "", "shop.example"):
        assert client("", [], host) == Client("192.0.2.1", is_visitor=True)


def host_name(name):
    return name if "." in name else f"{name}.{settings.PARENT_HOST}".lstrip(".")


def test_visitors_spend_a_budget_while_accounts_are_at_work(monkeypatch):
    clock = SimpleNamespace(now=1000.0, slept=0.0)

    def sleep(seconds):
        clock.slept += seconds
        clock.now += seconds

    def answer(environ, start_response):
        clock.now += environ["seconds"]
        return [b"done"]

    fake = SimpleNamespace(monotonic=lambda: clock.now, sleep=sleep)
    monkeypatch.setattr(visitor_pacing, "time", fake)
    pacing = visitor_pacing.VisitorPacing(answer)

    def flood(requests, seconds, *, beside_account):
        """The seconds for which visitors slept, and those that all requests took."""
        begin, clock.slept = clock.now, 0.0
        for _ in range(requests):
            if beside_account:
                pacing.note_account()
            assert pacing({"seconds": seconds}, print) == [b"done"]
        return clock.slept, clock.now - begin

    assert flood(100, 0.1, beside_account=False)[0] == 0.0
    slept, took = flood(100, 0.1, beside_account=True)
    assert slept > 0.0
    assert 10.0 == pytest.approx(BURST + SHARE * took, abs=0.2)
    # A request of a minute delays the next one for seconds only.
    assert 0.0 < flood(2, 60.0, beside_account=True)[0] <= 2 * MAX_DEBT / SHARE
    clock.now += visitor_pacing.ACTIVE
    assert flood(1, 0.1, beside_account=False)[0] == 0.0
