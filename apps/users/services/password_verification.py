"""Password verification: concurrency limit, progressive delay."""

import hashlib
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.utils import timezone

from apps.users.domain import limits
from apps.users.models import Login, User
from apps.users.models.credential import Credential
from apps.users.services import audit
from core.errors import Forbidden, RateLimited, ServiceError, Unavailable
from core.web import throttling

logger = logging.getLogger(__name__)

MINUTE, QUARTER = 60, 900
# So long after a login nobody is asked for the password again.
FRESH = timedelta(minutes=10)
# A hash fills a core and 100 MiB for some tenths of a second: one at a time in each process,
# so that logins leave the other core to others; and few may wait, since each holds a thread. The
# web process lets them in one by one in turn (project.login_admission).
_turn = threading.Semaphore(1)
_places = threading.Semaphore(6)
_pauses = threading.Semaphore(3)


class WrongPassword(Forbidden):
    """The user name or the password is wrong; the error does not reveal which."""

    code = "invalid-credentials"


class NotYours(Forbidden):
    """Only superusers change superusers."""


class PasswordNeeded(ServiceError):
    """What could take an account away from its owner, or end it, needs the present password."""

    code = "missing-parameter"


class Busy(Unavailable):
    """More passwords are being checked than this machine should."""


@contextmanager
def hashing() -> Iterator[None]:
    """Within, one password may be hashed; raises Busy where too many wait for their turn."""
    if not _places.acquire(blocking=False):
        raise Busy(
            "Too many people sign in at this moment: try again in a second.",
            headers={"Retry-After": "1"},
        )
    try:
        with _turn:
            yield
    finally:
        _places.release()


def identify(*, username: str, password: str, address: str) -> User:
    """Return the active user with this name and password; raise WrongPassword otherwise.

    Takes the same time whether or not the user exists. Wrong passwords block further attempts from
    their address. Where many addresses guess at one account, those from which it never signed in
    are delayed: the owner is never locked out.
    """
    username = User.normalize_username(username)
    account = _account(username)
    place = throttling.client_prefix(address)
    everywhere = f"logins * {account}"
    allowed = {
        f"logins {place} {account}": limits.LOGIN_FAILURES_PER_ACCOUNT,
        f"logins {place}": limits.LOGIN_FAILURES_PER_ADDRESS,
    }
    # Right ones cost as much to check; they are counted of who has proven to know the password.
    right = {f"signed_in {account}": settings.LOGINS_PER_ACCOUNT}
    right[f"signed_in {place}"] = settings.LOGINS_PER_ADDRESS
    for key, most in right.items():
        if most and (used := throttling.count(key, MINUTE, by=0)) >= most:
            raise RateLimited(
                f"At most {most} logins succeed in a minute: use a session, or an API token.",
                limit="logins",
                most=most,
                used=used,
                wait=throttling.seconds_left(MINUTE),
            )
    with throttling.limit_failures(allowed, QUARTER, of=WrongPassword):
        wrong = throttling.count(everywhere, QUARTER, by=0)
        if wrong >= limits.LOGIN_FAILURES_BEFORE_DELAY:
            _delay_strangers(username, place, wrong)
        with hashing():
            user = authenticate(username=username, password=password)
        if not isinstance(user, User):
            throttling.count(everywhere, QUARTER)
            tried = _tried(username)
            logger.warning("Refused a login as %r from %s.", tried["name"], address)
            audit.record(action="login.refused", actor=None, after={"account": account, **tried})
            raise WrongPassword("The user name or the password is wrong.")
    for key in right:
        throttling.count(key, MINUTE)
    return user


def confirm_password(*, user: User, password: str, field: str) -> None:
    """Check the password of a signed-in user; raise WrongPassword.

    Attempts are limited, so that an open or stolen session cannot guess the password.
    """
    allowed = {f"passwords {user.pk}": limits.LOGIN_FAILURES_PER_ACCOUNT}
    with throttling.limit_failures(allowed, QUARTER, of=WrongPassword):
        with hashing():
            right = user.check_password(password)
        if not right:
            audit.record(action="password.refused", actor=user, on=user.uri)
            raise WrongPassword("The password is wrong.", field=field)


def require_authority(actor: User, *, over: User) -> None:
    """Raise NotYours for staff who would change a superuser or remove their credentials."""
    if not actor.may_change(over):
        raise NotYours("This account is a superuser's, whom only superusers change: ask one.")


def require_password(
    *, user: User, credential: Credential, password: str | None, what: str
) -> None:
    """Have the caller prove that they are the user, unless they have just signed in.

    Raises TokenMayNot for an API token, PasswordNeeded, and WrongPassword.
    """
    credential.require_session(what)
    since = timezone.now() - FRESH
    fresh = Login.objects.filter(user=user, created__gt=since)
    if credential.login and fresh.filter(pk=credential.login).exists():
        return
    if not password:
        raise PasswordNeeded(
            f"To {what}, send your password, too: you have not signed in just now.",
            field="password",
        )
    confirm_password(user=user, password=password, field="password")


def _tried(username: str) -> dict[str, str]:
    """Return what the audit log records of a failed login: the name and, if it exists, the account.

    Of an unknown name only the beginning is recorded: it may be a password in the wrong field.
    """
    try:
        user = User.objects.get_by_natural_key(username)
    except User.DoesNotExist:
        return {"name": f"{username[:2]}..., a name that nobody has"}
    return {"name": user.username, "user": user.uri}


def _account(username: str) -> str:
    """Return the key under which attempts on a name are counted, whether or not it exists."""
    return hashlib.sha256(username.encode()).hexdigest()[:32]


def _delay_strangers(username: str, place: str, wrong: int) -> None:
    logins = Login.objects.filter(user__username=username)
    addresses = logins.values_list("address", flat=True).distinct()
    if place in {throttling.client_prefix(address) for address in addresses}:
        return
    if not _pauses.acquire(blocking=False):
        raise RateLimited(
            "Many wrong passwords were tried for this account: try again in a few seconds, or "
            "sign in from where you are known.",
            limit="logins",
            most=limits.LOGIN_FAILURES_BEFORE_DELAY,
            used=wrong,
            wait=5,
        )
    try:
        time.sleep(limits.LOGIN_DELAY)
    finally:
        _pauses.release()
