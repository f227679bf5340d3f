"""manage.py announce_ready: print the addresses once every program is ready (used by `up`)."""

import time

from django.conf import settings
from django.core.management.base import BaseCommand

from core.uris import base_url
from ops.programs import platform_programs
from ops.readiness import silent_programs

PAUSE = 0.5  # seconds between two looks
SIGN_OF_LIFE = 10.0  # seconds between two lines, while it takes


class Command(BaseCommand):
    help = "Print the addresses once every program is ready (used by `up`)."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("parts", help="The parts that were started, comma-separated.")
        parser.add_argument(
            "--timeout",
            type=float,
            default=180.0,
            help="Seconds after which it names the programs that are not ready (default: 180).",
        )

    def handle(self, *, parts: str, timeout: float, **options):
        begun = said = time.monotonic()
        complained = False
        waiting = platform_programs(parts.split(","))
        while True:
            passed = time.monotonic() - begun
            # A worker's sign of life from before the start would be its predecessor's.
            silent = silent_programs(waiting, heard_within=passed)
            waiting = [program for program in waiting if program.name in silent]
            if not waiting:
                break
            if passed > timeout and not complained:
                complained = True
                self._complain(silent, passed)
            elif not complained and time.monotonic() - said > SIGN_OF_LIFE:
                said = time.monotonic()
                self._say(f"  {passed:.0f} s: waiting for {', '.join(silent)}")
            time.sleep(PAUSE)
        self._say("Ready.")
        if "web" in parts.split(","):
            self._say(f"  {'console':12} {base_url('')}")
            for service in (*settings.SERVICES, "admin"):
                self._say(f"  {service:12} {base_url(service)}")

    def _complain(self, silent: list[str], passed: float) -> None:
        self._say(f"These are not at work after {passed:.0f} s, and are waited for further:")
        for name in silent:
            self._say(f"  {name:15} see {settings.DATA_DIR}/logs/{name}.log")
        self._say("In another shell, `.venv/bin/python manage.py doctor` says what would mend it.")

    def _say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
