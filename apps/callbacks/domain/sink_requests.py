"""Request record of a sink."""

import json
from collections.abc import Iterable

MAX_REQUESTS = 50  # of a sink; then the oldest go
KEPT_BYTES = 4096  # of a body, and of all headers and of the query, in characters
# A visitor's browser sends its session to any of our hosts: who made the sink must not see it.
SECRET_HEADERS = frozenset(("authorization", "cookie", "proxy-authorization"))

# No row is inserted where the sink is unknown or over.
KEEP = """
WITH its AS (
    SELECT uuid FROM callbacks_sink WHERE token = %(token)s AND expires > now()
), spare AS (
    DELETE FROM callbacks_sunkrequest WHERE id IN (
        SELECT r.id FROM callbacks_sunkrequest AS r JOIN its ON r.sink_id = its.uuid
        ORDER BY r.id DESC OFFSET %(most)s::int - 1
    )
)
INSERT INTO callbacks_sunkrequest (sink_id, method, query, headers, body, size)
SELECT uuid, %(method)s::varchar, %(query)s::text, %(headers)s::jsonb, %(body)s::bytea, %(size)s
FROM its
"""


def arrived(
    *, token: str, method: str, query: str, headers: Iterable[tuple[str, str]], body: bytes
) -> dict[str, str | bytes | int]:
    """Return the columns of KEEP for a request; values that are too long are truncated."""
    kept: dict[str, str] = {}
    room = KEPT_BYTES
    for name, value in headers:
        room -= len(name) + len(value)
        if room >= 0 and name.lower() not in SECRET_HEADERS:
            kept[name.lower()] = value
    return {
        "token": token,
        "most": MAX_REQUESTS,
        "method": method[:16],
        "query": _plain(query)[:KEPT_BYTES],
        "headers": _plain(json.dumps(kept, ensure_ascii=False)),
        "body": body[:KEPT_BYTES],
        "size": len(body),
    }


def _plain(text: str) -> str:
    """Text as PostgreSQL keeps it: without NUL and halves of characters."""
    return text.replace("\0", "").replace("\\u0000", "").encode(errors="replace").decode()
