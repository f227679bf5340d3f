"""Guests of shops, through the interface of the users service."""

import base64
from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.users import interface as users
from apps.users.models import User
from apps.users.services import tokens
from core.models import Limit
from core.web import guest_secrets

DAY = timedelta(days=1)


@pytest.fixture
def guest(db):
    until = timezone.now() + 14 * DAY
    return users.guests.create_guest(
        share=uuid4(), until=until, namespaces=["models"], limits={"models_day": 2}
    )


def _signed(with_token, guest, host):
    return with_token({"uuid": guest.token, "secret": guest.secret}, host)


def test_guest_works_with_own_models_only(with_token, guest, client_of, person):
    client_of("models", person).post("/model/", {"name": "of somebody else"})
    models = _signed(with_token, guest, "models")

    assert models.post("/model/", {"name": "bracket"}).status_code == 201
    assert [row["name"] for row in models.get("/model/").json()["resources"]] == ["bracket"]
    for host in ("users", "erp", "slicing", "integrations", "payment", "callbacks", "search"):
        answer = _signed(with_token, guest, host).get("/users/")
        assert answer.status_code in (403, 404)


def test_credentials_of_guests_say_so_and_those_of_accounts_do_not(guest, person):
    token = tokens.make_token(user=person, actor=person)

    def is_guest(uuid, secret):
        pair = base64.b64encode(f"{uuid}:{secret}".encode()).decode()
        return guest_secrets.is_guest(f"Basic {pair}")

    assert is_guest(guest.token, guest.secret)
    assert not is_guest(token.pk, token.secret)
    assert not guest_secrets.is_guest("") and not guest_secrets.is_guest("Basic é")


def test_limits_of_a_guest_are_their_own(with_token, guest):
    models = _signed(with_token, guest, "models")
    for name in ("a", "b"):
        assert models.post("/model/", {"name": name}).status_code == 201

    assert models.post("/model/", {"name": "c"}).status_code == 429


def test_guests_of_a_shop_share_their_turns_however_old(db):
    shop, until = uuid4(), timezone.now() + DAY
    first, second = (
        users.guests.create_guest(share=shop, until=until, namespaces=["models"], limits={}).account
        for _ in range(2)
    )
    User.objects.filter(pk=first.pk).update(date_joined=timezone.now() - 30 * DAY)
    users.answer_for(first.pk)

    first.refresh_from_db()
    assert first.turns_account == second.turns_account == shop


def test_guest_is_never_listed(root, guest, client, operator):
    names = [row["username"] for row in root.get("/users/").json()["resources"]]

    assert names == ["root"]
    assert not users.exists(uri=guest.account.uri, user=operator)


def test_guest_ends(with_token, guest):
    assert users.guests.expired_guests() == []
    User.objects.filter(pk=guest.account.pk).update(guest_until=timezone.now() - DAY)
    assert users.guests.expired_guests() == [guest.account]

    users.guests.end_guest(guest.account.pk)

    assert users.guests.expired_guests() == []
    assert not Limit.objects.exists()
    assert _signed(with_token, guest, "models").get("/model/").status_code == 401
