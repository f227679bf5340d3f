"""The hot statements say what the ORM says."""

from datetime import timedelta

import pytest
from django.contrib.sessions.backends.db import SessionStore
from django.db.models import Model as Row
from django.utils import timezone

from apps.users.models import Login, User
from apps.users.models.credential import Credential
from apps.users.queries import user_of_session, user_of_token
from apps.users.services import sessions, tokens


def columns(row: Row) -> dict:
    return {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}


@pytest.fixture
def people(person, stranger, operator) -> list[User]:
    operator.is_platform_service = True
    operator.company = "We"
    operator.save()
    return [person, stranger, operator]


def test_token_lookup_statement_returns_the_same_user_as_the_orm(people):
    for user in people:
        token = tokens.make_token(
            user=user, actor=user, read_only=user.is_staff, namespaces=["models"]
        )

        known = user_of_token(token.uuid, token.secret)

        assert columns(known.user) == columns(User.objects.get(pk=user.pk))
        assert known.stale is True
        assert known.credential == Credential(
            token=token.uuid, read_only=user.is_staff, namespaces=("models",)
        )


def test_session_lookup_statement_returns_the_same_user_as_the_orm(people):
    for user in people:
        login = sessions.sign_in(
            username=user.username, password="correct horse battery", address="9.9.9.9"
        )

        known = user_of_session(login.session_id)

        assert columns(known.user) == columns(User.objects.get(pk=user.pk))
        assert (known.credential, known.stale) == (Credential(login=login.pk), False)


def test_wrong_expired_and_deactivated_credentials_resolve_to_no_user(person):
    token = tokens.make_token(user=person, actor=person)
    past = timezone.now() - timedelta(seconds=1)
    old = tokens.make_token(user=person, actor=person, expires=past)
    login = sessions.sign_in(username="ada", password="correct horse battery", address="9.9.9.9")

    assert user_of_token(token.uuid, token.secret + "x") is None
    assert user_of_token(person.uuid, token.secret) is None
    assert user_of_token(old.uuid, old.secret) is None
    assert user_of_session("nonsense") is None
    person.is_active = False
    person.save()
    assert user_of_token(token.uuid, token.secret) is None
    assert user_of_session(login.session_id) is None


def test_session_without_password_login_resolves_to_no_user(person):
    for content in ({}, {"_auth_user_id": "7"}, {"_auth_user_id": str(person.pk)}):
        store = SessionStore()
        store.update(content)
        store.create()
        assert user_of_session(store.session_key) is None
        Login.objects.create(user=person, session_id=store.session_key)

        assert user_of_session(store.session_key) is None
