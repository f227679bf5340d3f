"""What an ordinary user feels beside each attack: one line an attack.

    python -m tests.attacks [--seconds 20] [NAME ...]

It makes accounts and models on the platform that runs from this folder, and leaves them.
"""

import argparse
import os
import sys

from core.process.open_files import raise_open_files
from ops.instances import join_running
from tests.attacks import ATTACKS, suffer
from tests.attacks.ordinary_user import Ordinary, Target
from tests.waiting import wait_for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("names", nargs="*", default=[*ATTACKS], metavar="NAME", help=str(ATTACKS))
    asked = parser.parse_args()
    raise_open_files()
    join_running(os.environ)
    target = Target(
        os.environ.get("PARENT_HOST", "platform.localhost"), int(os.environ.get("PORT", "8000"))
    )
    ordinary = Ordinary(target)
    wait_for(lambda: ordinary.clients[0].can_read(ordinary.part))
    for name in ("alone", *asked.names):
        sys.stdout.write(f"{name:10} {suffer(target, name, ordinary, asked.seconds)}\n")
        sys.stdout.flush()


main()
