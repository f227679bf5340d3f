#!/usr/bin/env python
"""Django's manage.py, with platform/ on the path."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    os.umask(0o077)  # what is written is strangers' files and what was logged of their requests
    sys.path[:0] = [str(HERE), str(HERE / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
    from ops.renamed_commands import current_names  # needs the path above

    sys.argv[1:] = current_names(sys.argv[1:])
    if sys.argv[1:2] == ["up"]:
        os.environ.setdefault("PLATFORM_PROGRAM", "up")  # which shows no pages of operators
    if sys.argv[1:2] in (["backup"], ["doctor"], ["storage"]):
        from ops.instances import Ambiguous, join_running

        try:
            join_running(os.environ)
        except Ambiguous as error:
            sys.exit(f"{sys.argv[1]}: {error}")
    os.environ.setdefault("STATEMENT_TIMEOUT", "0")
    # Libraries start no threads of their own: a worker is meant to fill one core, and `up` forks.
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")

    from django.core.exceptions import ImproperlyConfigured  # needs the path above
    from django.core.management import execute_from_command_line

    from core.secrets_file import SecretsMissing, bring_secrets

    try:
        folder = [word for word in sys.argv[2:] if not word.startswith("-")]
        if sys.argv[1:2] == ["restore"] and folder:  # before the settings make others
            home = Path(os.environ.get("DATA_DIR", HERE / "data"))
            place = Path(os.environ.get("SECRETS_FILE", home / "secrets.json"))
            bring_secrets(Path(folder[0], "secrets.json"), place)
        execute_from_command_line(sys.argv)
    except (SecretsMissing, ImproperlyConfigured) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
