"""The slicing service, and a warning where its engines would run with less than all walls."""

from typing import Any

from django.apps import AppConfig
from django.core import checks

from apps.slicing.engines import sandbox


class SlicingConfig(AppConfig):
    name = "apps.slicing"

    def ready(self) -> None:
        checks.register(check_sandbox, checks.Tags.security)


def check_sandbox(**options: Any) -> list[checks.CheckMessage]:
    """Slicing works without, but a raw config is a stranger's word to a large program."""
    return [checks.Warning(gap, id="slicing.W001") for gap in sandbox.gaps()]
