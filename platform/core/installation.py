"""Installation identity: refuses foreign secrets, base URL or schema generation.

The database contains fingerprints of the secrets and the base URL. A machine with others is
refused: its signatures, its users' second factors and its URIs would be wrong.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.db import connection

from core.secrets_file import SecretsMissing, fingerprints
from core.uris import base_url

# Counts the releases whose migrations take away what the one before the last still used. A version
# runs on the schema of the next, and no longer: see docs/operations.md.
GENERATION = 1

_TABLE_EXISTS = "SELECT to_regclass('core_installation')"
_RECORDED = "SELECT identity, least FROM core_installation"
_RECORD = """
    INSERT INTO core_installation (identity, least) VALUES (%s, %s)
    ON CONFLICT (one) DO UPDATE
    SET identity = EXCLUDED.identity, least = greatest(core_installation.least, EXCLUDED.least)
"""


class WrongInstallation(Exception):
    """This process does not belong to the platform of this database; the text has the reason."""


def require_new(url: str, file: Path) -> Callable[[], None]:
    """Return a check that raises SecretsMissing where `url` has a platform, or may have one.

    It is called before secrets are created in `file`.
    """

    def look() -> None:
        try:
            with psycopg.connect(url, connect_timeout=5, autocommit=True) as line:
                known = line.execute(_TABLE_EXISTS).fetchone() != (None,)
                taken = known and line.execute(_RECORDED).fetchone() is not None
        except psycopg.OperationalError as error:
            raise SecretsMissing(
                f"There are no secrets in {file}, and whether the platform has some is not known, "
                f"since its database does not answer: {error}"
            ) from None
        if taken:
            raise SecretsMissing(
                f"A platform is on this database already, and its secrets are not in {file}. Copy "
                "secrets.json of its first machine there (mode 600), or name it in SECRETS_FILE. "
                "If they are lost, NEW_IDENTITY=yes makes new ones: docs/security.md says what "
                "that ends."
            )

    return look


def require_same_installation() -> None:
    """Raise WrongInstallation where the database belongs to another installation."""
    with connection.cursor() as cursor:
        cursor.execute(_TABLE_EXISTS)
        if cursor.fetchone() == (None,):
            return
        cursor.execute(_RECORDED)
        found: tuple[Any, int] | None = cursor.fetchone()
    if found is None:
        return
    theirs, least = found
    theirs = json.loads(theirs) if isinstance(theirs, str) else theirs
    if least > GENERATION:
        raise WrongInstallation(
            f"The database is of a newer version, which this one can no longer use ({GENERATION}, "
            f"and {least} is wanted): install the version that the other machines have."
        )
    if settings.NEW_IDENTITY:
        return
    ours = _identity()
    others = [name for name in fingerprints(settings.SECRETS) if theirs.get(name) != ours[name]]
    if others:
        raise WrongInstallation(
            f"These are not the secrets of the platform on this database: {', '.join(others)}. "
            "Copy secrets.json of its first machine, or name it in SECRETS_FILE. To give the "
            f"platform these instead, {_ANEW}"
        )
    if theirs.get("address") != ours["address"]:
        raise WrongInstallation(
            f"The platform on this database is {theirs.get('address')}, and this machine would "
            f"write {ours['address']} into URIs: set PARENT_HOST, HOST_SCHEME and HOST_PORT alike "
            f"on each machine. To change the platform's, {_ANEW}"
        )


_ANEW = "start it once with NEW_IDENTITY=yes, and then its other machines with the same."


def record() -> None:
    """From now on the database belongs with this platform, and with versions from the last on."""
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, (json.dumps(_identity()), GENERATION - 1))


def _identity() -> dict[str, str]:
    return fingerprints(settings.SECRETS) | {"address": base_url("")}
