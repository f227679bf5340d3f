"""The one way in which tests wait: for a condition, with an end that only a fault reaches."""

import time
from collections.abc import Callable
from typing import Any

TIMEOUT = 300.0  # seconds for any one wait, on a machine that is busy with other things
FIRST_PAUSE, MAX_PAUSE = 0.01, 0.2  # seconds: a look each 10 ms takes half a core


def wait_for(
    condition: Callable[[], Any], seconds: float = TIMEOUT, *, pause: float | None = None
) -> Any:
    """The first true value of `condition()`, looked at less and less often, or each `pause`."""
    deadline = time.monotonic() + seconds
    next_pause = FIRST_PAUSE
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s"
        time.sleep(pause or next_pause)
        next_pause = min(next_pause * 1.2, MAX_PAUSE)
    return value
