"""The installation's secrets: made on first start, kept in one file of mode 0600."""

import fcntl
import json
import os
import secrets
from pathlib import Path

NAMES = ("secret_key", "location_key", "webhook_key", "second_factor_key")


def load_secrets(path: Path) -> dict[str, str]:
    """The secrets in `path`; those that are missing are generated and written first.

    Safe when several processes start at once: one writes, the others read what it wrote.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = file.read()
        known = json.loads(text) if text else {}
        missing = [name for name in NAMES if name not in known]
        if missing:
            known |= {name: secrets.token_urlsafe(64) for name in missing}
            _replace(file, known)
    return known


def _replace(file, known: dict[str, str]) -> None:
    file.seek(0)
    file.truncate()
    json.dump(known, file, indent=1)
    file.flush()
    os.fsync(file.fileno())
