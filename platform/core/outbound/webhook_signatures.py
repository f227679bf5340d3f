"""Standard Webhooks signatures: sign and verify."""

import base64
import hashlib
import hmac
import time
from collections.abc import Mapping

from django.conf import settings

TOLERANCE = 300  # seconds that the clocks of both sides may differ


def derived_secret(purpose: bytes) -> str:
    """The secret for a purpose or a salt, the same each time: whsec_ and 32 bytes in base64.

    It is computed from the installation's key: a copy of the database alone signs nothing.
    """
    key = hmac.digest(settings.WEBHOOK_KEY.encode(), purpose, hashlib.sha256)
    return f"whsec_{base64.b64encode(key).decode()}"


def sign(secret: str, content: bytes) -> str:
    """A signature of Standard Webhooks, version 1: HMAC-SHA256 of id.timestamp.payload."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return f"v1,{base64.b64encode(hmac.digest(key, content, hashlib.sha256)).decode()}"


def signed_headers(secret: str, *, id: str, payload: bytes) -> dict[str, str]:
    """The three headers of a message that is sent now; the same `id` marks a repeat."""
    timestamp = int(time.time())
    return {
        "webhook-id": id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(secret, f"{id}.{timestamp}.".encode() + payload),
    }


def is_signed(secret: str, headers: Mapping[str, str], payload: bytes) -> bool:
    """Whether the three headers are of `secret`, of this payload, and of these minutes."""
    id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp[:20])) > TOLERANCE:
        return False
    expected = sign(secret, f"{id}.{timestamp}.".encode() + payload).encode()
    given = headers.get("webhook-signature", "").split()
    return any(hmac.compare_digest(expected, one.encode()) for one in given)
