"""Encryption of secrets of others that are stored and used again, such as keys of providers.

AES-256-GCM with a key derived from the installation's: a copy of the database alone reads none.
A secret is bound to the row that has it, so that it cannot be moved to another.
"""

import hashlib
import hmac
import os

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

NONCE_BYTES = 12
_PURPOSE = b"stored secrets, version 1"


def encrypted(secret: str, *, row: str) -> bytes:
    """Return a secret as it is stored; nothing for an empty one.

    row : name of the row and column that it belongs to
    """
    if not secret:
        return b""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + _cipher().encrypt(nonce, secret.encode(), row.encode())


def decrypted(stored: bytes, *, row: str) -> str:
    """Return a stored secret; empty without one, and where another installation encrypted it."""
    if not stored:
        return ""
    try:
        content = _cipher().decrypt(stored[:NONCE_BYTES], stored[NONCE_BYTES:], row.encode())
    except (InvalidTag, ValueError):
        return ""
    return content.decode()


def _cipher() -> AESGCM:
    return AESGCM(hmac.digest(settings.WEBHOOK_KEY.encode(), _PURPOSE, hashlib.sha256))
