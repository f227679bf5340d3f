"""`mp` command line: messages on stderr, results on stdout."""

import sys


def main() -> None:
    """What `mp` runs; without the packages of `manufacturing[cli]` it says what is missing."""
    try:
        from manufacturing.cli.commands import run
    except ModuleNotFoundError as error:
        if error.name not in ("typer", "rich"):
            raise
        sys.stderr.write(f'mp needs {error.name}: pip install "manufacturing[cli]".\n')
        sys.exit(2)
    sys.exit(run())
