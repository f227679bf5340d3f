"""Unfinished bodies: bounded for an address, in all and in memory; the oldest make room."""

import asyncio
from types import SimpleNamespace

import pytest

from core.web import token_buckets
from project import request_buffer
from project.request_buffer import HttpError, RequestBuffer


class Sender:
    """Sends pieces of a body when it is told to."""

    def __init__(self, bodies: RequestBuffer, address: str, most: int = 1000):
        self.pieces: asyncio.Queue = asyncio.Queue()
        self.task = asyncio.create_task(self._read(bodies, address, most))

    async def _read(self, bodies: RequestBuffer, address: str, most: int) -> bytes:
        async with bodies.whole(self.pieces.get, address, most) as body:
            return body

    async def send(self, data: bytes, *, more: bool = True) -> None:
        await self.pieces.put({"type": "http.request", "body": data, "more_body": more})
        for _ in range(5):
            await asyncio.sleep(0)

    async def end(self) -> bytes | int:
        """The body, or the status of its refusal."""
        try:
            return await self.task
        except HttpError as refused:
            return refused.args[0]


def run(story):
    return asyncio.run(story())


def test_oldest_buffered_request_of_an_address_is_evicted_at_its_limit():
    async def story():
        bodies = RequestBuffer(of_address=2)
        senders = [Sender(bodies, "a") for _ in range(3)]
        other = Sender(bodies, "b")
        for sender in [other, *senders]:
            await sender.send(b"x")
        assert await senders[0].end() == 408
        for sender in [other, *senders[1:]]:
            await sender.send(b"y", more=False)
            assert await sender.end() == b"xy"

    run(story)


def test_address_with_most_buffered_requests_is_evicted_at_total_limit():
    async def story():
        bodies = RequestBuffer(of_address=9, in_all=3)
        senders = [Sender(bodies, address) for address in "baac"]
        for sender in senders:
            await sender.send(b"x")
        assert await senders[1].end() == 408
        await senders[0].send(b"", more=False)
        assert await senders[0].end() == b"x"

    run(story)


def test_memory_limit_evicts_the_address_with_most_buffered_bytes():
    async def story():
        bodies = RequestBuffer(held=100)
        hoarders = [Sender(bodies, "a") for _ in range(2)]
        honest = Sender(bodies, "b")
        await honest.send(b"x" * 30)
        for hoarder in hoarders:
            await hoarder.send(b"y" * 35)
        await honest.send(b"x" * 10, more=False)
        assert await honest.end() == b"x" * 40
        assert await hoarders[0].end() == 408

    run(story)


def test_request_returns_503_when_no_buffered_request_can_be_evicted():
    async def story():
        bodies = RequestBuffer(held=100)
        answered = asyncio.Event()

        async def one() -> dict:
            return {"type": "http.request", "body": bytes(90), "more_body": False}

        async def being_answered():
            async with bodies.whole(one, "a", 1000):
                await answered.wait()

        first = asyncio.create_task(being_answered())
        await asyncio.sleep(0)
        second = Sender(bodies, "b")
        await second.send(bytes(20), more=False)
        assert await second.end() == 503
        answered.set()
        await first
        third = Sender(bodies, "b")
        await third.send(bytes(20), more=False)
        assert await third.end() == bytes(20)

    run(story)


def test_bodies_of_an_address_beyond_its_rate_are_read_more_slowly(monkeypatch):
    async def received(address: str, pieces: int, bodies: RequestBuffer) -> float:
        """The seconds for which a body of so many MiB was not read."""
        waited.clear()
        left = iter(range(pieces))

        async def one() -> dict:
            last = next(left) == pieces - 1
            return {"type": "http.request", "body": bytes(1024**2), "more_body": not last}

        async with bodies.whole(one, address, pieces * 1024**2) as body:
            assert len(body) == pieces * 1024**2
        return sum(waited)

    async def story():
        bodies = RequestBuffer()
        burst = request_buffer.BURST // 1024**2
        assert await received("a", burst, bodies) == 0.0
        # 4 MiB more, of which each after the first byte beyond waits at 16 MiB/s.
        assert await received("a", 4, bodies) == pytest.approx((1 + 2 + 3) / 16, abs=0.05)
        assert await received("b", 4, bodies) == 0.0

    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr(request_buffer.asyncio, "sleep", sleep)
    clock = SimpleNamespace(monotonic=lambda: 1000.0)
    monkeypatch.setattr(token_buckets, "time", clock)
    run(story)


@pytest.mark.parametrize("size", [1000, 1001])
def test_body_above_its_size_limit_returns_413(size):
    async def story():
        sender = Sender(RequestBuffer(), "a")
        await sender.send(bytes(size), more=False)
        return await sender.end()

    assert run(story) == (bytes(1000) if size == 1000 else 413)
