"""The door for passwords: which requests pass it, and in whose turn."""

import asyncio

import pytest
from django.conf import settings

from project import login_admission

HOST = f"users.{settings.PARENT_HOST}"


@pytest.mark.parametrize(
    ("method", "host", "path", "passes"),
    [
        ("POST", "users", "/sessions/", True),
        ("POST", "data", "/sessions", True),
        ("PUT", "users", "/users/01a1fe00-0000-7000-8000-000000000001/", True),
        ("POST", "admin", "/login/", True),
        ("GET", "users", "/sessions/", False),
        ("POST", "admin", "/users/user/add/", False),
        ("POST", "sales", "/customer-account/sign-in/", True),
        ("POST", "models", "/model/", False),
    ],
)
def test_login_admission_covers_requests_that_hash_passwords(method, host, path, passes):
    assert login_admission.may_hash(method, f"{host}.{settings.PARENT_HOST}", path) is passes


def body(name: str) -> bytes:
    return b'{"username": "%s", "password": "x"}' % name.encode()


def test_login_admission_rotates_among_client_prefixes_and_accounts():
    order = []

    async def one(place: str, host: str, name: str, how=body) -> None:
        async with login_admission.turn(place, host, how(name)):
            order.append((place, name))
            await asyncio.sleep(0)

    async def story() -> None:
        many = [one("a", HOST, f"greedy-{n % 2}") for n in range(12)]
        form = one("a", HOST, "other", lambda name: f"username={name}&password=x".encode())
        operator = one("a", f"admin.{settings.PARENT_HOST}", "operator")
        await asyncio.gather(*many, form, one("b", HOST, "far"), operator)

    asyncio.run(story())
    places = [who for who in order]
    assert places.index(("b", "far")) < 3 and places.index(("a", "operator")) < 3
    assert places.index(("a", "other")) <= 5  # behind one of each greedy account
    assert len(order) == 15


def test_login_admission_finds_no_account_in_malformed_body():
    assert [login_admission._account(b) for b in (b"", b"[1]", b"\xff{", b'{"username": 3}')] == [
        *("", "", "", "3")
    ]
