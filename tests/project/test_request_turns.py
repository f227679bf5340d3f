"""Turns of requests in the web process."""

import asyncio

from project.request_turns import OF_CLIENT, RequestTurns, client_of


def test_client_has_four_requests_at_work_and_others_are_not_delayed():
    async def crowd() -> list[str]:
        turns, end, begun = RequestTurns(), asyncio.Event(), []

        async def request(client: str) -> None:
            async with turns.one(client):
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


def test_client_is_known_by_credentials_or_else_by_network():
    assert client_of("Basic eDp5", ["sessionid=a"], "192.0.2.1") == "Basic eDp5"
    assert client_of("", ["sessionid=a"], "192.0.2.1") == "sessionid=a"
    assert client_of("", [], "192.0.2.1") == "192.0.2.1"
