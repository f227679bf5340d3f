"""The engines of this installation, made from its settings once a process."""

from functools import cache

from django.conf import settings

from apps.slicing.configs import text
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.engines import engines
from apps.slicing.engines.base import Bed, Engine, Limits, SliceFailed
from apps.slicing.engines.prusaslicer import PrusaSlicer
from apps.slicing.models import Config
from core import blobs


@cache
def installed_engines() -> dict[str, Engine]:
    """Identifier -> engine; one that is not offered has no version."""
    width, depth, height = settings.BED
    facts = settings.DATA_DIR / "engines"
    return engines(settings.CURA_DEFINITIONS, bed=Bed(width, depth, height), facts=facts)


def test_engines() -> None:
    """Have each engine of a version that is not tested slice its test cube. It takes seconds."""
    for engine in installed_engines().values():
        engine.self_test()


def prusaslicer() -> PrusaSlicer:
    """The engine that presets are of."""
    engine = installed_engines()[PrusaSlicer.identifier]
    assert isinstance(engine, PrusaSlicer)  # noqa: S101  for the type checker
    return engine


def settings_of(config: Config) -> dict[str, str]:
    """Every setting that the engine is sent for a config. Raises SliceFailed."""
    engine = installed_engines()[config.engine]
    if config.kind == Config.Kind.CURATED:
        return engine.settings(config.parameters)
    with blobs.local(config.content_id) as path:
        content = path.read_bytes().decode()
    if config.kind == Config.Kind.PRESET:  # we wrote it ourselves
        return {entry.key: entry.value for entry in text.entries(content)}
    try:
        return engine.read_raw(content).settings
    except RawConfigErrors as refused:  # it was read before, by another version
        title = f"{engine.name} was replaced, and does not read this config any more: {refused}"
        raise SliceFailed("config-not-usable", title) from refused


def limits(*, plate: bool = False) -> Limits:
    """What one slice may use; that of a plate takes longer."""
    seconds = settings.PLATE_TIME if plate else settings.SLICE_TIME
    return Limits(
        wall_seconds=seconds,
        cpu_seconds=seconds,
        address_space_bytes=settings.SLICE_MEMORY,
    )
