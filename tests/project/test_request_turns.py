"""Turns of requests in the web process."""

import asyncio
import base64
import time
from types import SimpleNamespace

import pytest
from django.conf import settings

from core.request_context import ACCOUNT
from core.web import guest_secrets, token_buckets
from project import request_turns
from project.request_turns import (
    ACCOUNT_BURST,
    IN_ALL,
    MAX_REST,
    OF_CLIENT,
    SHARE,
    VISITOR_BURST,
    Client,
    Clients,
    RequestTurns,
)
from project.request_usage import USAGE, Usage, measured

NETWORK = "192.0.2.1"


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


def test_credentials_count_for_their_account_after_an_answer_and_visitors_for_a_network():
    guest = "Basic " + base64.b64encode(b"eDp5:" + guest_secrets.new_secret().encode()).decode()
    clients = Clients()

    def client(authorization, cookies, host="models"):
        return clients.find(authorization, cookies, NETWORK, host_name(host))

    # Wrong credentials, of which a client can send others with each request, count for its network.
    assert client("Basic eDp5", []) == client("", ["sessionid=a"]) == Client(NETWORK)
    assert client("", ["sessionid=a"], host="") == Client(NETWORK, is_visitor=True)

    clients.learn("Basic eDp5", [], "account")
    clients.learn("", ["sessionid=a"], "account")
    clients.learn("Basic eDp6", [], "")  # refused
    clients.learn("Basic eDp5", [], None)  # not checked, as on a page of the docs
    clients.learn(guest, [], "guest")
    assert client("Basic eDp5", []) == client("Basic eDp5", ["sessionid=b"])
    assert {client("Basic eDp5", []).holder, client("", ["sessionid=a"]).holder} == {"account"}
    assert client("", ["sessionid=a"], host="").is_visitor is False
    assert client("Basic eDp6", []) == Client(NETWORK)
    # A guest who sends the cookie of an account is still a guest.
    assert client(guest, ["sessionid=a"]) == Client(NETWORK, guest, is_visitor=True)
    clients.learn("Basic eDp5", [], "")  # revoked: from now on it takes no place of the account
    assert client("Basic eDp5", []) == Client(NETWORK)
    for host in ("integrations", "users", "admin"):
        assert client("", [], host) == Client(NETWORK)
    for host in ("sales", "", "shop.example"):
        assert client("", [], host) == Client(NETWORK, is_visitor=True)


def host_name(name):
    return name if "." in name else f"{name}.{settings.PARENT_HOST}".lstrip(".")


def test_only_the_last_credentials_are_remembered(monkeypatch):
    monkeypatch.setattr(request_turns, "MAX_CREDENTIALS", 2)
    clients = Clients()
    for number in range(3):
        clients.learn(f"Basic {number}", [], "account")
    holders = [clients.find(f"Basic {at}", [], NETWORK, host_name("models")) for at in range(3)]
    assert [one.holder for one in holders] == [NETWORK, "account", "account"]


def usage(seconds):
    return Usage("", seconds, seconds)


@pytest.mark.parametrize("is_visitor", [False, True])
def test_clients_beyond_their_cpu_time_are_answered_one_after_another(is_visitor):
    async def crowd() -> list[str]:
        turns, end, at_work = RequestTurns(), asyncio.Event(), []

        async def request(name: str, *, is_visitor: bool) -> None:
            async with turns.one(Client(name, is_visitor=is_visitor)):
                at_work.append(name)
                await end.wait()

        for name in ("greedy", "other greedy"):
            turns.charge(Client(name, is_visitor=is_visitor), usage(VISITOR_BURST + 1.0))
        turns.charge(Client("modest"), usage(ACCOUNT_BURST / 2))
        async with asyncio.TaskGroup() as group:
            for name in ("greedy", "greedy", "other greedy"):
                group.create_task(request(name, is_visitor=is_visitor))
            await asyncio.sleep(0)
            for name in ("modest", "modest", "new"):
                group.create_task(request(name, is_visitor=False))
            await asyncio.sleep(0.01)
            beside = list(at_work)
            end.set()
        assert len(at_work) == 6
        return sorted(beside)

    assert asyncio.run(crowd()) == ["greedy", "modest", "modest", "new"]


def test_request_that_waits_for_long_gives_the_lane_to_the_next(monkeypatch):
    monkeypatch.setattr(request_turns, "LANE_TIME", 0.01)

    async def crowd() -> int:
        turns, end = RequestTurns(), asyncio.Event()
        turns.charge(Client("greedy"), usage(ACCOUNT_BURST + 1.0))

        async def request() -> None:
            async with turns.one(Client("greedy")):
                at_work.append(1)
                if len(at_work) == OF_CLIENT:
                    end.set()
                await end.wait()

        at_work: list[int] = []
        async with asyncio.timeout(30.0), asyncio.TaskGroup() as group:
            for _ in range(OF_CLIENT):
                group.create_task(request())
        return len(at_work)

    assert asyncio.run(crowd()) == OF_CLIENT


def test_visitors_rest_while_accounts_are_at_work(monkeypatch):
    """A flood of visitors gets its share of the time, and all of it where no account is at work."""
    clock = SimpleNamespace(now=1000.0)

    async def sleep(seconds: float) -> None:
        clock.now += max(seconds, 0.0)

    monkeypatch.setattr(request_turns.asyncio, "sleep", sleep)
    monkeypatch.setattr(request_turns, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(token_buckets, "time", SimpleNamespace(monotonic=lambda: clock.now))
    turns, visitor = RequestTurns(), Client(NETWORK, is_visitor=True)

    async def flood(requests: int, seconds: float, *, beside_account: bool) -> float:
        begin = clock.now
        for _ in range(requests):
            if beside_account:
                async with turns.one(Client("account")):
                    pass
            async with turns.one(visitor):
                clock.now += seconds
            turns.charge(visitor, usage(seconds))
        return clock.now - begin

    assert asyncio.run(flood(100, 0.1, beside_account=False)) == pytest.approx(10.0)
    took = asyncio.run(flood(200, 0.1, beside_account=True))
    assert SHARE * took == pytest.approx(20.0, rel=0.1)
    # A request of a minute delays the next one for seconds only.
    assert asyncio.run(flood(2, 60.0, beside_account=True)) <= 120.0 + 2 * MAX_REST
    clock.now += request_turns.ACTIVE
    assert asyncio.run(flood(1, 0.1, beside_account=False)) == pytest.approx(0.1)


def test_application_measures_cpu_time_and_names_the_account():
    scope, closed = {}, []

    class Answer(list):
        def close(self):
            closed.append(True)

    def application(environ, start_response):
        environ[ACCOUNT] = "account"
        deadline = time.thread_time() + 0.02
        while time.thread_time() < deadline:
            pass
        time.sleep(0.2)  # this is not counted
        return Answer([b"done"])

    assert list(measured(application)({"asgi.scope": scope}, print)) == [b"done"]
    assert scope[USAGE].account == "account"
    assert 0.02 <= scope[USAGE].cpu < 0.2 <= scope[USAGE].elapsed
    assert closed == [True]
