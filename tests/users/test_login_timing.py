"""A failed login does not reveal by its duration whether the user exists."""

import statistics
import time

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.users.domain import limits
from apps.users.models import User
from apps.users.services import password_verification
from tests.users.conftest import PASSWORD


def test_failed_login_takes_equal_time_for_known_and_unknown_user_names(db, settings, monkeypatch):
    settings.PASSWORD_HASHERS = ["apps.users.domain.hashers.Argon2"]
    # An eighth of the memory: what the hash does not hide shows all the more.
    monkeypatch.setattr("apps.users.domain.hashers.Argon2.memory_cost", 12_800)
    monkeypatch.setattr(limits, "LOGIN_FAILURES_PER_ACCOUNT", 0)
    monkeypatch.setattr(limits, "LOGIN_FAILURES_PER_ADDRESS", 0)
    monkeypatch.setattr(limits, "LOGIN_FAILURES_BEFORE_DELAY", 1000)
    User.objects.create_user("ada", "ada@example.com", PASSWORD)
    taken: dict[str, list[float]] = {"ada": [], "eve": []}
    queries: dict[str, int] = {}

    for _ in range(40):
        for name in taken:
            begun = time.process_time()  # not of the clock, which other processes prolong
            with (
                pytest.raises(password_verification.WrongPassword),
                CaptureQueriesContext(connection) as captured,
            ):
                password_verification.identify(username=name, password="wrong", address="192.0.2.1")
            taken[name].append(time.process_time() - begun)
            queries[name] = len(captured)

    assert queries["ada"] == queries["eve"]
    known, unknown = (statistics.median(times) for times in taken.values())
    assert known == pytest.approx(unknown, rel=0.25)
    assert known > 0.01
