"""Places: who comes to many waits behind nobody but himself."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from core.web.fair_semaphore import FairSemaphore, SemaphoreTimeout


def test_holder_is_limited_to_its_share_of_the_semaphore():
    async def story():
        places = FairSemaphore(most=3, of_one=2, waiting=5)
        async with AsyncExitStack() as held:
            for _ in range(2):
                await held.enter_async_context(places.one("greedy", timeout=60))
            with pytest.raises(SemaphoreTimeout):
                await held.enter_async_context(places.one("greedy", timeout=0.01))
            await held.enter_async_context(places.one("other", timeout=60))

    asyncio.run(story())


def test_freed_permits_rotate_among_holders_and_within_each():
    order = []

    async def ask(places, holder, within):
        async with places.one(holder, within, timeout=60):
            order.append((holder, within))

    async def story():
        places = FairSemaphore(most=1, of_one=1, waiting=10)
        async with places.one("first", timeout=60):
            asked = [("a", "x")] * 3 + [("a", "y"), ("b", "z")]
            tasks = [asyncio.create_task(ask(places, *who)) for who in asked]
            await asyncio.sleep(0)
        await asyncio.gather(*tasks)

    asyncio.run(story())
    assert order == [("a", "x"), ("b", "z"), ("a", "y"), ("a", "x"), ("a", "x")]


def test_timed_out_and_cancelled_waiters_free_their_places():
    async def story():
        places = FairSemaphore(most=1, of_one=1, waiting=1)
        async with places.one("a", timeout=60):
            with pytest.raises(SemaphoreTimeout):
                async with places.one("b", timeout=0):
                    pass
            waiting = asyncio.create_task(places._take("b", "", 60))
            await asyncio.sleep(0)
            with pytest.raises(SemaphoreTimeout):  # so many wait already
                await places._take("b", "", 60)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with places.one("c", timeout=0):
            return True

    assert asyncio.run(story())
