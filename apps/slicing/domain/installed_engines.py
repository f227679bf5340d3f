"""Installed slicing engines, discovered once per process."""

from dataclasses import dataclass
from functools import cache, cached_property
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings

from apps.slicing.configs import text
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.engines import engines
from apps.slicing.engines.base import Bed, Engine, EngineLimits, SliceFailed
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.engines.prusaslicer import PrusaSlicer
from apps.slicing.models import Config
from core.files import blobs
from core.resources import HasUri


@cache
def installed_engines() -> dict[str, Engine]:
    """Identifier -> engine; one that is not offered has no version."""
    width, depth, height = settings.DEFAULT_BED_SIZE
    facts = settings.DATA_DIR / "engines"
    return engines(settings.CURA_DEFINITIONS, bed=Bed(width, depth, height), facts=facts)


@dataclass(frozen=True, eq=False)
class InstalledEngine(HasUri):
    """An engine as users see it; its key is of its identifier.

    version : None where the engine is not offered
    reasons : why it is not offered, and what to do; empty where it is
    notes   : what users should know of an engine that is offered
    """

    SERVICE = "slicing"
    KIND = "engine"

    in_shop = False

    engine: str
    name: str
    version: str | None
    reasons: list[str]
    notes: list[str]

    @property
    def usable(self) -> bool:
        return self.version is not None

    @cached_property
    def uuid(self) -> UUID:  # type: ignore[override]
        return uuid5(NAMESPACE_URL, f"engine\n{self.engine}")


def engine_states() -> list[InstalledEngine]:
    """All engines, offered or not."""
    states = []
    for identifier, engine in installed_engines().items():
        version, note = engine.version(), engine.note()
        reasons = [] if version else [engine.missing()]
        notes = [note] if note else []
        states.append(InstalledEngine(identifier, engine.name, version, reasons, notes))
    return states


def test_engines() -> None:
    """Have each engine of a version that is not tested slice its test cube. It takes seconds."""
    for engine in installed_engines().values():
        engine.self_test()


def prusaslicer() -> PrusaSlicer:
    """The engine that presets are of."""
    engine = installed_engines()[PrusaSlicer.identifier]
    assert isinstance(engine, PrusaSlicer)  # noqa: S101  for the type checker
    return engine


def content_of(config: Config) -> str:
    """The text of a config that is a file of its engine."""
    with blobs.local_copy(config.content_id) as path:
        return path.read_bytes().decode()


def curaengine() -> CuraEngine:
    """The engine that machines of Cura are of."""
    engine = installed_engines()[CuraEngine.identifier]
    assert isinstance(engine, CuraEngine)  # noqa: S101  for the type checker
    return engine


def settings_of(config: Config) -> dict[str, str]:
    """Every setting that the engine is sent for a config. Raises SliceFailed."""
    engine = installed_engines()[config.engine]
    if config.kind == Config.Kind.CURATED:
        return engine.settings(config.parameters)
    content = content_of(config)
    if config.kind == Config.Kind.PRESET:  # we wrote it ourselves
        return {entry.key: entry.value for entry in text.entries(content)}
    try:
        return engine.read_raw(content).settings
    except RawConfigErrors as refused:  # it was read before, by another version
        title = f"{engine.name} was replaced, and does not read this config any more: {refused}"
        raise SliceFailed("config-not-usable", title) from refused


def limits(*, plate: bool = False) -> EngineLimits:
    """What one slice may use; that of a plate takes longer."""
    seconds = settings.PLATE_TIME if plate else settings.SLICE_TIME
    return EngineLimits(
        wall_seconds=seconds,
        cpu_seconds=seconds,
        address_space_bytes=settings.SLICE_MEMORY,
    )
