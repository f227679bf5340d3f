"""What an ordinary user feels beside each attack: one line an attack.

    TRUSTED_PROXIES=127.0.0.1/32 REGISTRATION_RATE=1000000 make up
    python -m tests.attacks [--seconds 20] [NAME ...]

It makes accounts and models on the platform that runs from this folder, and leaves them. Attacks
come from 127.0.1.2, which by default is the address of a trusted proxy and has no limits.
"""

import argparse
import os
import sys
from ipaddress import ip_address, ip_network

from core.process.open_files import raise_open_files
from ops.instances import join_running
from tests.attacks import ATTACKS, suffer
from tests.attacks.ordinary_user import STRANGER, Ordinary, Target
from tests.waiting import wait_for


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("names", nargs="*", default=[*ATTACKS], metavar="NAME", help=str(ATTACKS))
    arguments = parser.parse_args()
    raise_open_files()
    join_running(os.environ)
    trusted = os.environ.get("TRUSTED_PROXIES", "127.0.0.0/8").split(",")
    if any(ip_address(STRANGER) in ip_network(network) for network in trusted if network):
        sys.exit(f"{STRANGER} is a trusted proxy: start with TRUSTED_PROXIES=127.0.0.1/32 make up")
    target = Target(
        os.environ.get("PARENT_HOST", "platform.localhost"), int(os.environ.get("PORT", "8000"))
    )
    ordinary = Ordinary(target)
    wait_for(lambda: ordinary.clients[0].can_read(ordinary.part))
    for names in ((), *((name,) for name in arguments.names)):
        felt = suffer(target, names, ordinary, arguments.seconds)
        sys.stdout.write(f"{names[0] if names else 'alone':10} {felt}\n")
        sys.stdout.flush()


main()
