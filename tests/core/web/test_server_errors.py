"""Faults: what a request failed with is found by its Request-ID."""

from datetime import timedelta

import pytest
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from apps.warehouse.views.models import ModelViewSet
from core.models import ServerError
from core.web import server_errors
from core.web.token_buckets import TokenBucket


@pytest.fixture
def failing(monkeypatch):
    """`failing(error)`: reading a model fails on our side."""

    def fail(error: Exception) -> None:
        def row(self, uuid):
            raise error

        monkeypatch.setattr(ModelViewSet, "row", row)

    monkeypatch.setattr(server_errors, "_pace", TokenBucket(server_errors.AT_ONCE))
    return fail


KEY = "01900000-0000-7000-8000-000000000000"


def read(client):
    client.raise_request_exception = False
    return client.get(f"/model/{KEY}/", headers={"request-id": "seen-by-ada"})


def test_server_error_is_found_in_admin_by_request_id(failing, client_of, person, operator):
    failing(ZeroDivisionError("by chance"))

    answer = read(client_of("models", person))

    assert (answer.status_code, answer["Request-ID"]) == (500, "seen-by-ada")
    fault = ServerError.objects.get()
    assert (fault.number, fault.account) == ("seen-by-ada", person.pk)
    assert (fault.method, fault.path) == ("GET", f"models.platform.test/model/{KEY}/")
    assert fault.exception == "ZeroDivisionError: by chance"
    assert "raise error" in fault.trace
    pages = Client(SERVER_NAME="admin.platform.test")
    pages.post("/login/", {"username": "root", "password": "correct horse battery"})
    assert b"ZeroDivisionError" in pages.get("/core/servererror/?q=seen-by-ada").content
    assert b"raise error" in pages.get(f"/core/servererror/{fault.pk}/change/").content
    assert b"ZeroDivisionError" in pages.get("/").content


def test_server_error_masks_token_and_escapes_invalid_characters(failing, db, rf):
    request = rf.get("/sign-in/abcdef/", SERVER_NAME="platform.test")
    request.resolver_match = type("Match", (), {"kwargs": {"token": "abcdef"}})()

    try:
        raise ValueError("\ud800 and \0")
    except ValueError:
        server_errors.remember(None, request=request)

    fault = ServerError.objects.get()
    assert fault.path == "platform.test/sign-in/<token>/"
    assert fault.exception == "ValueError: \\ud800 and \\0"


def test_recorded_server_errors_are_rate_limited(failing, client_of, person, monkeypatch):
    failing(ValueError("again"))
    monkeypatch.setattr(server_errors, "_pace", TokenBucket(2.0))
    monkeypatch.setattr(server_errors, "A_SECOND", 1e-9)

    for _ in range(4):
        assert read(client_of("models", person)).status_code == 500

    assert ServerError.objects.count() == 2


def test_response_is_unchanged_when_server_error_cannot_be_recorded(
    failing, client_of, person, monkeypatch
):
    def create(**fields):
        raise OperationalError("the database is away")

    failing(ValueError("first"))
    monkeypatch.setattr(ServerError.objects, "create", create)

    answer = read(client_of("models", person))

    assert answer.json()["errors"][0]["code"] == "internal-error"


def test_server_error_is_deleted_after_thirty_days(failing, client_of, person):
    failing(ValueError("old"))
    read(client_of("models", person))
    server_errors.forget_old()
    assert ServerError.objects.count() == 1

    ServerError.objects.update(created=timezone.now() - timedelta(days=31))
    server_errors.forget_old()

    assert ServerError.objects.count() == 0
