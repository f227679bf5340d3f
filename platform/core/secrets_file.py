"""Secrets file: generated on first start, mode 0600."""

import fcntl
import hashlib
import json
import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO

NAMES = ("secret_key", "location_key", "webhook_key", "second_factor_key")


class SecretsMissing(Exception):
    """There are no secrets here, and none may be created; the text says what to do."""


def load_secrets(path: Path, *, allow: Callable[[], None] = lambda: None) -> dict[str, str]:
    """The secrets in `path`; those that are missing are generated and written first.

    Safe when several processes start at once: one writes, the others read what it wrote.

    allow : called before any are made; raises SecretsMissing where none may be
    """
    known = _read(path)
    if _missing(known):
        allow()
        return _complete(path)
    return known


def bring_secrets(source: Path, path: Path) -> None:
    """Copy the secrets of a backup to `path`, before others are created there.

    Raises SecretsMissing where there are others, or none in the backup.
    """
    theirs = _read(source)
    if not theirs:
        raise SecretsMissing(f"There are no secrets in {source}: name the folder of a backup.")
    known = _read(path)
    if known == theirs:
        return
    if known:
        raise SecretsMissing(
            f"{path} has other secrets than the backup: they belong to another platform. Move "
            "that file away, and what lies beside it, or name an empty folder in DATA_DIR."
        )
    path.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+") as file:
        _replace(file, theirs)


def fingerprints(known: Mapping[str, str]) -> dict[str, str]:
    """Return fingerprints of the secrets, which identify them without revealing them."""
    return {
        name: hashlib.sha256(f"fingerprint of {name}: {known[name]}".encode()).hexdigest()[:16]
        for name in NAMES
    }


def _read(path: Path) -> dict[str, str]:
    try:
        with path.open() as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            return _parse(file)
    except FileNotFoundError:
        return {}


def _complete(path: Path) -> dict[str, str]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    with os.fdopen(handle, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        known = _parse(file)
        if missing := _missing(known):
            known |= {name: secrets.token_urlsafe(64) for name in missing}
            _replace(file, known)
    return known


def _parse(file: IO[str]) -> dict[str, str]:
    text = file.read()
    return json.loads(text) if text else {}


def _missing(known: Mapping[str, str]) -> list[str]:
    return [name for name in NAMES if name not in known]


def _replace(file: IO[str], known: dict[str, str]) -> None:
    file.seek(0)
    file.truncate()
    json.dump(known, file, indent=1)
    file.flush()
    os.fsync(file.fileno())
