"""What a client may do with logins."""

import hashlib

from django.conf import settings
from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
    authenticate,
)
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.utils import timezone

from apps.users.models import User
from core import throttle
from core.errors import Forbidden
from core.throttle import slow_down

QUARTER = 900


class WrongPassword(Forbidden):
    """The user name or the password is wrong; which of them is not said."""

    code = "invalid-credentials"


def sign_in(*, username: str, password: str, address: str) -> tuple[User, SessionStore]:
    """The user and a fresh session of theirs.

    Wrong passwords slow down the one who tries them, by account and address: the owner, from
    another address, is never locked out.
    """
    account = hashlib.sha256(username.encode()).hexdigest()[:32]
    tried = {
        f"login {address} {account}": settings.LOGIN_FAILURES_PER_ACCOUNT,
        f"login {address}": settings.LOGIN_FAILURES_PER_ADDRESS,
    }
    for key, most in tried.items():
        slow_down(key, most, QUARTER, by=0)
    user = authenticate(username=username, password=password)
    if not isinstance(user, User):
        for key in tried:
            throttle.count(key, QUARTER)
        raise WrongPassword("The user name or the password is wrong.")
    store = SessionStore()
    store[SESSION_KEY] = str(user.pk)
    store[BACKEND_SESSION_KEY] = settings.AUTHENTICATION_BACKENDS[0]
    store[HASH_SESSION_KEY] = user.get_session_auth_hash()
    with transaction.atomic():
        store.save(must_create=True)
        User.objects.filter(pk=user.pk).update(last_login=timezone.now())
    return user, store


def sign_out(*, session_key: str) -> None:
    """End a session."""
    SessionStore(session_key).delete()
