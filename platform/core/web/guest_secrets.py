"""Secrets of guests: recognizable in the web process before any query."""

import base64
import binascii
import secrets

PREFIX = "guest_"


def new_secret() -> str:
    """Return a secret for an API token of a guest."""
    return PREFIX + secrets.token_urlsafe(32)


def is_guest(authorization: str) -> bool:
    """Whether an Authorization header carries the secret of a guest, valid or not."""
    try:
        pair = base64.b64decode(authorization.partition(" ")[2], validate=True)
    except (binascii.Error, ValueError):
        return False
    return pair.partition(b":")[2].startswith(PREFIX.encode())
