"""manage.py check_provider: conformance test of a provider."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from apps.integrations.conformance import FakePlatform, Outcome, run
from geometry.formats.stl.writer import write_binary
from geometry.sample_part import bracket


class Command(BaseCommand):
    help = "Plays the platform against a provider, and says what it does right and wrong."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("url", help="The provider's service_url.")
        parser.add_argument("--secret", required=True, help="The service's secret: whsec_...")
        parser.add_argument("--method", default="POST", choices=["POST", "PUT"])
        parser.add_argument("--parameters", default="{}", help="JSON that the provider takes.")
        parser.add_argument("--invalid-parameters", help="JSON that it must refuse.")
        parser.add_argument("--file", type=Path, help="A model that it can work on; a sample part.")
        parser.add_argument("--timeout", type=float, default=60, help="Seconds for one job.")
        parser.add_argument("--listen", default="127.0.0.1:0", help="Where this listens.")
        parser.add_argument(
            "--public-address", default="", help="HOST:PORT by which the provider reaches this."
        )

    def handle(self, *, url: str, secret: str, method: str, **options: Any) -> None:
        file = options["file"]
        content, name = (file.read_bytes(), file.name) if file else (_sample(), "bracket.stl")
        type = name.rpartition(".")[2].lower()
        stand = FakePlatform(url, method, secret, content=content, name=name, type=type)
        host, _, port = options["listen"].rpartition(":")
        right = _parameters(options["parameters"], "--parameters")
        given = options["invalid_parameters"]
        wrong = _parameters(given, "--invalid-parameters") if given else None
        failed = 0
        with stand.serving(host, int(port), options["public_address"]):
            for outcome in run(stand, right=right, wrong=wrong, seconds=options["timeout"]):
                failed += not outcome.passed
                self._tell(outcome)
        if failed:
            raise CommandError(f"{failed} not met: see docs/providers.md.")

    def _tell(self, outcome: Outcome) -> None:
        sign = "ok    " if outcome.passed else "FAILED"
        self.stdout.write(f"{sign} {outcome.check:60} {outcome.seen}")
        self.stdout.flush()


def _parameters(text: str, option: str) -> dict[str, object]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise CommandError(f"{option} is not JSON: {error}") from None
    if not isinstance(value, dict):
        raise CommandError(f"{option} is not a JSON object.")
    return value


def _sample() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bracket.stl"
        write_binary(bracket(), path)
        return path.read_bytes()
