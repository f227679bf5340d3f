"""Service layer: log in and log out, with the second factor."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.utils import timezone

from apps.users.models import Login, User
from apps.users.services import audit, password_verification, second_factor


def prove(*, username: str, password: str, one_time_password: str, address: str) -> User:
    """Return the user with this name, password and, where set up, second factor."""
    user = password_verification.identify(username=username, password=password, address=address)
    second_factor.require(user=user, code=one_time_password)
    return user


def sign_in(
    *,
    username: str,
    password: str,
    one_time_password: str = "",
    address: str,
    user_agent: str = "",
    replaces: str = "",
) -> Login:
    """Create a session; the one whose cookie the browser sent (`replaces`) ends."""
    user = prove(
        username=username,
        password=password,
        one_time_password=one_time_password,
        address=address,
    )
    return open_session(user=user, address=address, user_agent=user_agent, replaces=replaces)


@transaction.atomic
def open_session(*, user: User, address: str, user_agent: str, replaces: str) -> Login:
    """Create a session of a user whose identity has been verified."""
    user.logins.filter(session__expire_date__lte=timezone.now()).end()
    Login.objects.filter(session_id=replaces).end()
    login = Login.objects.create(
        user=user,
        session_id=_new_session(user),
        address=address,
        user_agent=user_agent.replace("\0", "")[:400],
    )
    user.last_login = timezone.now()
    user.save(update_fields=["last_login"])
    audit.record(action="login.made", actor=user, on=login.uri)
    return login


@transaction.atomic
def end_session(*, login: Login, actor: User) -> None:
    """End a session: its cookie is worth nothing any more."""
    password_verification.require_authority(actor, over=login.user)
    audit.record(action="login.ended", actor=actor, on=login.uri)
    Login.objects.filter(pk=login.pk).end()


@transaction.atomic
def end_others(*, keep: UUID | None, user: User) -> None:
    """End the user's sessions but the one with the key `keep`."""
    others = Login.objects.filter(user=user).others(keep)
    for other in others:
        audit.record(action="login.ended", actor=user, on=other.uri)
    others.end()


def renew(*, login: Login, user: User) -> Login:
    """Go on under a new key, after the password has changed: a copied cookie is worth nothing."""
    old = login.session_id
    login.session_id = _new_session(user, lasts=time_left(login))
    login.save(update_fields=["session"])
    SessionStore(old).delete()
    return login


def time_left(login: Login) -> timedelta:
    """How long the session can still last, if it is used."""
    lifetime = timedelta(seconds=settings.SESSION_LIFETIME)
    return max(login.created + lifetime - timezone.now(), timedelta())


def _new_session(user: User, *, lasts: timedelta | None = None) -> str:
    idle = timedelta(seconds=settings.SESSION_COOKIE_AGE)
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    store.set_expiry(min(idle, lasts) if lasts is not None else idle)
    store.save(must_create=True)
    return str(store.session_key)
