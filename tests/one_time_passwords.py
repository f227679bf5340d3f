"""Codes of authenticator apps, by a clock that stands still: none expires while a test runs."""

import time

import pyotp
import pytest
from pyotp import totp

NOW = int(time.time())


class StillClock:
    """In place of the module `time`."""

    @staticmethod
    def time() -> float:
        return NOW


@pytest.fixture(autouse=True)
def still_clock(monkeypatch) -> None:
    """The time of all codes is NOW."""
    monkeypatch.setattr(totp, "time", StillClock)


def code(secret: str, *, steps: int = 0) -> str:
    """The code of NOW, or of so many steps of 30 s later."""
    return pyotp.TOTP(secret).at(NOW + 30 * steps)
