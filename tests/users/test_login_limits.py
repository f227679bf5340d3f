"""Right passwords are counted, too: each costs a hash."""

import pytest

from apps.users.services import password_verification
from core.errors import RateLimited

PASSWORD = "correct horse battery staple"


@pytest.fixture
def identify(person):
    person.set_password(PASSWORD)
    person.save()

    def run(address: str = "192.0.2.1"):
        return password_verification.identify(
            username=person.username, password=PASSWORD, address=address
        )

    return run


@pytest.fixture(autouse=True)
def early_in_the_minute(monkeypatch):
    monkeypatch.setattr("core.web.throttling.time.time", lambda: 60.0)


def test_successful_logins_per_account_are_rate_limited(identify, settings):
    settings.LOGINS_PER_ACCOUNT = 2
    identify()
    identify("192.0.2.2")

    with pytest.raises(RateLimited) as refused:
        identify("192.0.2.3")

    assert refused.value.details == {"limit": "logins", "most": 2, "used": 2}


def test_successful_logins_per_address_are_rate_limited(identify, settings):
    settings.LOGINS_PER_ADDRESS = 1
    identify()
    with pytest.raises(RateLimited):
        identify()

    assert identify("192.0.2.2")


def test_failed_logins_do_not_count_for_the_account_rate_limit(identify, settings, person):
    settings.LOGINS_PER_ACCOUNT = 1
    with pytest.raises(password_verification.WrongPassword):
        password_verification.identify(
            username=person.username, password="wrong", address="192.0.2.9"
        )

    assert identify()
