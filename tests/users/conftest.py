"""People who really sign in, by cookie or by token."""

import base64
from collections.abc import Callable

import pytest

PASSWORD = "correct horse battery"
# What makes a token where nobody has just signed in.
PROOF = {"password": PASSWORD}


@pytest.fixture
def ada(client_of, person):
    """The users host as `person` sees it."""
    return client_of("users", person)


@pytest.fixture
def bob(client_of, stranger):
    """The users host as `stranger` sees it."""
    return client_of("users", stranger)


@pytest.fixture
def root(client_of, operator):
    """The users host as an administrator sees it."""
    return client_of("users", operator)


@pytest.fixture
def sign_in(client_of) -> Callable:
    """`sign_in("ada")`: a client of a host that holds the cookie of a fresh session."""

    def make(username: str, host: str = "users", *, password: str = PASSWORD, **options):
        users = client_of("users", **options)
        answer = users.post("/sessions/", {"username": username, "password": password})
        assert answer.status_code == 201, answer.json()
        client = client_of(host, **options)
        client.cookies["session"] = answer.cookies["session"].value
        return client

    return make


@pytest.fixture
def with_token(client_of) -> Callable:
    """`with_token(token)`: a client of a host that signs with an API token."""

    def make(token: dict, host: str = "users"):
        pair = base64.b64encode(f"{token['uuid']}:{token['secret']}".encode()).decode()
        return client_of(host, HTTP_AUTHORIZATION=f"Basic {pair}")

    return make
