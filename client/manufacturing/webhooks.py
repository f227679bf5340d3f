"""Verifies callbacks (Standard Webhooks)."""

import base64
import hashlib
import hmac
import time
from collections.abc import Iterable, Mapping

TOLERANCE = 300  # seconds


def verify(headers: Mapping[str, str], body: bytes, secrets: str | Iterable[str]) -> bool:
    """Whether one of these secrets (`whsec_…`) signed what came, within the last five minutes.

    body : as it arrived; of a GET the part of its query that begins with `uri=`
    """
    values = {name.lower(): value for name, value in headers.items()}
    number, moment = values.get("webhook-id", ""), values.get("webhook-timestamp", "")
    if not moment.isdecimal() or abs(time.time() - int(moment[:20])) > TOLERANCE:
        return False
    content = f"{number}.{moment}.".encode() + body
    signed = [one.encode() for one in values.get("webhook-signature", "").split()]
    known = [secrets] if isinstance(secrets, str) else list(secrets)
    found = [hmac.compare_digest(signature(each, content), one) for each in known for one in signed]
    return any(found)


def signature(secret: str, content: bytes) -> bytes:
    """What a secret signs with."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    return b"v1," + base64.b64encode(hmac.digest(key, content, hashlib.sha256))
