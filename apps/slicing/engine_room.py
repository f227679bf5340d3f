"""The engines of this installation, made from its settings once a process."""

from functools import cache

from django.conf import settings

from apps.slicing.engines import engines
from apps.slicing.engines.base import Bed, Engine, Limits


@cache
def installed_engines() -> dict[str, Engine]:
    """Identifier -> engine; one that is not installed has no version."""
    return engines(settings.CURA_DEFINITIONS, bed=Bed(*settings.BED))


def limits() -> Limits:
    """What one slice may use."""
    return Limits(
        wall_seconds=settings.SLICE_TIME,
        cpu_seconds=settings.SLICE_TIME,
        address_space_bytes=settings.SLICE_MEMORY,
    )
