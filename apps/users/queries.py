"""Who calls: the hot statements of every request, as constant SQL.

Each is compared with the ORM's answer in tests/users/test_queries.py.
"""

import hashlib
import hmac
from uuid import UUID

from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from apps.users.models import User

_COLUMNS = (
    "uuid",
    "username",
    "email",
    "name",
    "address",
    "company",
    "password",
    "is_active",
    "is_staff",
    "is_superuser",
    "is_platform_service",
    "last_login",
    "date_joined",
)
_USER = ", ".join(f"u.{column}" for column in _COLUMNS)
_BY_KEY = f"SELECT {_USER} FROM users_user u WHERE u.uuid = %s AND u.is_active"  # noqa: S608
_BY_TOKEN = (
    f"SELECT t.secret_sha256, t.last_used < now() - interval '1 minute' OR t.last_used IS NULL,"  # noqa: S608
    f" {_USER} FROM users_apitoken t JOIN users_user u ON u.uuid = t.user_id"
    " WHERE t.uuid = %s AND (t.expires IS NULL OR t.expires > now()) AND u.is_active"
)
_SESSION = "SELECT session_data FROM django_session WHERE session_key = %s AND expire_date > now()"


def user_of_token(uuid: UUID, secret: str) -> tuple[User, bool] | None:
    """The owner of a valid token, and whether its last use was noted over a minute ago."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_TOKEN, (uuid,))
        row = cursor.fetchone()
    # Compare also where there is no such token, so that both take the same time.
    stored = bytes(row[0]) if row else bytes(32)
    given = hashlib.sha256(secret.encode()).digest()
    if not hmac.compare_digest(stored, given) or row is None:
        return None
    return _user(row[2:]), row[1]


def user_of_session(session_key: str) -> User | None:
    """The user who is signed in with this session; nobody after their password has changed."""
    with connection.cursor() as cursor:
        cursor.execute(_SESSION, (session_key,))
        row = cursor.fetchone()
        if row is None:
            return None
        session = SessionStore().decode(row[0])
        try:
            key = UUID(session.get("_auth_user_id", ""))
        except ValueError:
            return None
        cursor.execute(_BY_KEY, (key,))
        row = cursor.fetchone()
    if row is None:
        return None
    user = _user(row)
    known = session.get("_auth_user_hash", "")
    return user if hmac.compare_digest(known, user.get_session_auth_hash()) else None


def note_use(uuid: UUID) -> None:
    """Write a token's last use, at most once a minute."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE users_apitoken SET last_used = now() WHERE uuid = %s"
            " AND (last_used IS NULL OR last_used < now() - interval '1 minute')",
            (uuid,),
        )


def _user(row: tuple) -> User:
    # By name: `Model.from_db` takes values in the order of the model's fields, not of these.
    user = User(**dict(zip(_COLUMNS, row, strict=True)))
    user._state.adding = False
    user._state.db = connection.alias
    return user
