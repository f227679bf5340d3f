"""What every process must have in common with the database: secrets, and a schema it can use.

Fingerprints of the secrets are in the database. So a machine that joins with others, or with none,
is told so, where its signatures would be wrong and its users' second factors too.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import psycopg
from django.db import connection

from core.secrets_file import SecretsMissing, fingerprints

# Counts the releases whose migrations take away what the one before the last still used. A version
# runs on the schema of the next, and no longer: see docs/operations.md.
GENERATION = 1

_THERE = "SELECT to_regclass('core_installation')"
_RECORDED = "SELECT secrets, least FROM core_installation"
_RECORD = """
    INSERT INTO core_installation (secrets, least) VALUES (%s, %s)
    ON CONFLICT (one) DO UPDATE
    SET secrets = EXCLUDED.secrets, least = greatest(core_installation.least, EXCLUDED.least)
"""


class Foreign(Exception):
    """This process does not belong to the platform whose database it is; the text says why."""


def require_new(url: str, file: Path) -> Callable[[], None]:
    """A look whether `url` names a database without a platform, for whom `file` is to be made."""

    def look() -> None:
        try:
            with psycopg.connect(url, connect_timeout=5, autocommit=True) as line:
                known = line.execute(_THERE).fetchone() != (None,)
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
                "If they are lost, NEW_SECRETS=yes makes new ones; docs/security.md says what ends."
            )

    return look


def require(secrets: Mapping[str, str], *, new: bool = False) -> None:
    """Raises Foreign where the database is known to belong with others than these.

    new : whether its secrets may be others, since these are to be its own from now on
    """
    with connection.cursor() as cursor:
        cursor.execute(_THERE)
        if cursor.fetchone() == (None,):
            return
        cursor.execute(_RECORDED)
        found: tuple[Any, int] | None = cursor.fetchone()
    if found is None:
        return
    theirs, least = found
    theirs = json.loads(theirs) if isinstance(theirs, str) else theirs
    if least > GENERATION:
        raise Foreign(
            f"The database is of a newer version, which this one can no longer use ({GENERATION}, "
            f"and {least} is wanted): install the version that the other machines have."
        )
    ours = fingerprints(secrets)
    others = [name for name in ours if theirs.get(name) != ours[name]]
    if others and not new:
        raise Foreign(
            f"These are not the secrets of the platform on this database: {', '.join(others)}. "
            "Copy secrets.json of its first machine, or name it in SECRETS_FILE. To give the "
            "platform these instead, start it once with NEW_SECRETS=yes, and copy them to the rest."
        )


def record(secrets: Mapping[str, str]) -> None:
    """From now on the database belongs with these, and with versions from the last one on."""
    with connection.cursor() as cursor:
        cursor.execute(_RECORD, (json.dumps(fingerprints(secrets)), GENERATION - 1))
