"""Callback request: method, URL, headers, body, signature (Standard Webhooks)."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlencode, urlsplit
from uuid import UUID

from core.outbound.webhook_signatures import sign

USER_AGENT = "manufacturing-platform/1"


@dataclass(frozen=True)
class Message:
    method: str
    url: str
    headers: dict[str, str]
    body: bytes | None


def write_message(
    *,
    method: str,
    url: str,
    body: str,
    webhook_id: UUID,
    secrets: Sequence[str],
    seq: int,
    attempt: int,
    timestamp: int,
) -> Message:
    """Return the signed request that delivers `body`, a JSON object, to `url`.

    timestamp : Unix seconds
    secrets   : it has a signature by each of them
    """
    payload = _pairs(body) if method == "GET" else body
    content = f"{webhook_id}.{timestamp}.{payload}".encode()
    headers = {
        "webhook-id": str(webhook_id),
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, content) for secret in secrets),
        "webhook-sequence": str(seq),
        "webhook-attempt": str(attempt),
        "User-Agent": USER_AGENT,
    }
    if method == "GET":
        return Message(method, _with_query(url, payload), headers, None)
    return Message(method, url, {**headers, "Content-Type": "application/json"}, payload.encode())


def _pairs(body: str) -> str:
    """Return the members of a JSON object as query parameters; non-strings stay JSON."""
    pairs = {
        name: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        for name, value in json.loads(body).items()
    }
    return urlencode(pairs, quote_via=quote)


def _with_query(url: str, query: str) -> str:
    parts = urlsplit(url)
    own = f"{parts.query}&" if parts.query else ""
    return parts._replace(query=own + query, fragment="").geturl()
