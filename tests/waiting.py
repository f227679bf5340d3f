"""The one way in which tests wait: for a condition, with an end that only a fault reaches."""

import time
from collections.abc import Callable
from typing import Any

TIMEOUT = 300.0  # seconds for any one wait, on a machine that is busy with other things


def wait_for(condition: Callable[[], Any], seconds: float = TIMEOUT, *, pause: float = 0.01) -> Any:
    """The first true value of `condition()`, which is asked each `pause` seconds."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds:g} s"
        time.sleep(pause)
    return value
