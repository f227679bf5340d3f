"""SQL of the authentication path, and of writing notifications.

Each is compared with the ORM's answer in tests/users/test_queries.py.
"""

import hashlib
import hmac
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from apps.users.models import User
from apps.users.models.credential import Credential
from core.keys import uuid7
from core.queue import quotas
from core.request_context import request_context
from core.uris import resource_uri

# In the order of the model's own fields, since a row is made of values without names.
_COLUMNS = tuple(field.attname for field in User._meta.concrete_fields)
_USER = ", ".join(f"u.{column}" for column in _COLUMNS)
_BY_KEY = f"SELECT {quotas.ARE_SET}, {_USER} FROM users_user u WHERE u.uuid = %s AND u.is_active"  # noqa: S608
_BY_TOKEN = (
    f"SELECT t.secret_sha256, t.last_used < now() - interval '1 minute' OR t.last_used IS NULL,"  # noqa: S608
    f" t.read_only, t.namespaces, {quotas.ARE_SET}, {_USER}"
    " FROM users_apitoken t JOIN users_user u ON u.uuid = t.user_id"
    " WHERE t.uuid = %s AND (t.expires IS NULL OR t.expires > now()) AND u.is_active"
)
_SESSION = (
    "SELECT s.session_data, l.uuid, l.last_used < now() - interval '1 minute'"
    " FROM django_session s JOIN users_login l ON l.session_id = s.session_key"
    " WHERE s.session_key = %s AND s.expire_date > now()"
)
# The last use, and for the audit trail the first of each day: one statement for both.
_NOTE_TOKEN = (
    "WITH old AS (SELECT uuid, user_id, last_used FROM users_apitoken WHERE uuid = %(token)s),"  # noqa: S105
    " used AS (UPDATE users_apitoken t SET last_used = now() FROM old WHERE t.uuid = old.uuid"
    " AND (t.last_used IS NULL OR t.last_used < now() - interval '1 minute')"
    " RETURNING old.user_id, old.last_used)"
    ' INSERT INTO users_auditevent (uuid, action, actor_id, "on", address, request_id, token,'
    " created) SELECT %(event)s, 'api-token.used', user_id, %(on)s, %(address)s, %(request_id)s,"
    " %(token)s, now() FROM used WHERE last_used IS NULL OR last_used < date_trunc('day', now())"
)
_NOTE_LOGIN = (
    "WITH used AS (UPDATE users_login SET last_used = now() WHERE uuid = %s"
    " AND last_used < now() - interval '1 minute' RETURNING session_id, created)"
    " UPDATE django_session s SET expire_date = least("
    " now() + make_interval(secs => %s), used.created + make_interval(secs => %s))"
    " FROM used WHERE s.session_key = used.session_id"
)

_NOTIFY = (
    "WITH input (people, keys, kind, shop, subject, data) AS"
    " (SELECT %s::uuid[], %s::uuid[], %s::varchar, %s::varchar, %s::varchar, %s::jsonb)"
    " INSERT INTO users_notification AS n"
    " (uuid, recipient_id, kind, shop, subject, data, count, created, updated)"
    " SELECT p.key, u.uuid, g.kind, g.shop, g.subject, g.data, 1,"
    " statement_timestamp(), statement_timestamp()"
    " FROM input g, unnest(g.people, g.keys) AS p(person, key)"
    " JOIN users_user u ON u.uuid = p.person"
    " WHERE u.is_active AND u.guest_until IS NULL AND NOT u.is_platform_service"
    " AND NOT g.kind = ANY (u.muted_notifications) ORDER BY u.uuid"
    " ON CONFLICT (subject, kind, recipient_id) WHERE read IS NULL"
    " DO UPDATE SET count = n.count + 1, updated = excluded.updated, data = excluded.data"
)


class Known(NamedTuple):
    """The caller and the credential; `stale` where its last use was recorded over a minute ago."""

    user: User
    credential: Credential
    stale: bool


def user_of_token(uuid: UUID, secret: str) -> Known | None:
    """The owner of a valid token."""
    with connection.cursor() as cursor:
        cursor.execute(_BY_TOKEN, (uuid,))
        row = cursor.fetchone()
    # Compare also where there is no such token, so that both take the same time.
    stored = bytes(row[0]) if row else bytes(32)
    given = hashlib.sha256(secret.encode()).digest()
    if not hmac.compare_digest(stored, given) or row is None:
        return None
    _, stale, read_only, namespaces, *user = row
    services = None if namespaces is None else tuple(namespaces)
    credential = Credential(token=uuid, read_only=read_only, namespaces=services)
    return Known(_user(user), credential, stale)


def user_of_session(session_key: str) -> Known | None:
    """Return the user of this session; None after a change of their password."""
    with connection.cursor() as cursor:
        cursor.execute(_SESSION, (session_key,))
        row = cursor.fetchone()
        if row is None:
            return None
        data, login, stale = row
        session = SessionStore().decode(data)
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
    if not hmac.compare_digest(known, user.get_session_auth_hash()):
        return None
    return Known(user, Credential(login=login), stale)


def note_use(credential: Credential) -> None:
    """Write a key's last use, at most once a minute; a session thereby lasts longer."""
    with connection.cursor() as cursor:
        if credential.token:
            now = request_context()
            values: dict[str, Any] = {
                "token": credential.token,
                "event": uuid7(),
                "on": resource_uri("users", "api-token", uuid=credential.token),
                "address": now.address,
                "request_id": now.request_id,
            }
            cursor.execute(_NOTE_TOKEN, values)
        else:
            idle, most = settings.SESSION_COOKIE_AGE, settings.SESSION_LIFETIME
            cursor.execute(_NOTE_LOGIN, (credential.login, float(idle), float(most)))


def write_notifications(people: list[UUID], kind: str, subject: str, shop: str, data: str) -> None:
    """Write a notification for each of these accounts, or count the one that they have unread.

    data : JSON
    """
    keys = [uuid7() for _ in people]
    with connection.cursor() as cursor:
        cursor.execute(_NOTIFY, (people, keys, kind, shop, subject, data))


def _user(row: list | tuple) -> User:
    """The user of a row, in which it comes first whether any limit is set."""
    request_context().limits, *columns = row
    return User.from_db(connection.alias, _COLUMNS, columns)
