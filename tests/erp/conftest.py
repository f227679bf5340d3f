"""A bureau with what a part needs to be made, over HTTP."""

from collections.abc import Callable

import pytest

from apps.users.models import User
from tests.conftest import HostClient


@pytest.fixture
def erp(client_of, person) -> HostClient:
    """The manufacturing system, as Ada sees it, who makes the bureau."""
    return client_of("erp", person)


@pytest.fixture
def make(erp) -> Callable[..., dict]:
    """`make("material", bureau=..., name=...)`: create over HTTP, as Ada; the resource."""

    def create(kind: str, client: HostClient | None = None, **fields) -> dict:
        answer = (client or erp).post(f"/{kind}/", fields)
        assert answer.status_code == 201, (kind, answer.json())
        assert answer["Location"] == answer.json()["uri"]
        return answer.json()

    return create


@pytest.fixture
def bureau(make) -> dict:
    return make("bureau", name="Parts & Sons")


@pytest.fixture
def location(make, bureau) -> dict:
    return make("location", bureau=bureau["uri"], name="Hall 1")


@pytest.fixture
def printer_type(make, bureau) -> dict:
    return make(
        "printer-type",
        bureau=bureau["uri"],
        name="SLS 340",
        build_volume={"x": 340, "y": 340, "z": 600},
    )


@pytest.fixture
def printer(make, location, printer_type) -> dict:
    return make(
        "printer", location=location["uri"], printer_type=printer_type["uri"], name="Number 5"
    )


@pytest.fixture
def member(make, bureau, stranger) -> User:
    """Bob, who joins the bureau and holds no right."""
    make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
    return stranger
