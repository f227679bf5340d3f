"""Slicers in shops: what agents report of them, and how each slices a config."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypedDict, cast
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.orca.export import exported_profiles
from apps.slicing.configs.orca.profiles import Kind, Profiles, Values
from apps.slicing.configs.orca.sets import profiles_of_set
from apps.slicing.configs.orca.translation import GCODES
from apps.slicing.configs.presets import flattened
from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.domain.installed_engines import installed_engines, prusaslicer, settings_of
from apps.slicing.engines.base import Engine, SliceFailed
from apps.slicing.engines.orcaslicer import OrcaSlicer
from apps.slicing.models import AgentEngine, Config

# What a preset of the platform adds to a translated printer, in place of its own G-code.
OF_PLACEHOLDERS = frozenset(GCODES)


class ReportedEngine(TypedDict):
    """A slicer as an agent reports it."""

    program: str
    version: str
    isolation: str


@dataclass(frozen=True)
class Shop:
    """The agent that reports, by its keys and its name."""

    agent: UUID
    bureau: UUID
    location: UUID
    name: str


class NotSliceable(SliceFailed):
    """A slicer in a shop cannot slice a config."""

    def __init__(self, title: str):
        super().__init__("engine-not-suitable", title)


def record_engines(shop: Shop, reported: Iterable[ReportedEngine]) -> None:
    """Store the slicers that an agent has now; others of its rows are deleted."""
    now = timezone.now()
    rows = {
        row["program"]: AgentEngine(
            agent=shop.agent,
            bureau=shop.bureau,
            location=shop.location,
            agent_name=shop.name[:200],
            seen=now,
            **row,
        )
        for row in reported
    }
    AgentEngine.objects.bulk_create(
        rows.values(),
        update_conflicts=True,
        unique_fields=("agent", "program"),
        update_fields=("bureau", "location", "agent_name", "version", "isolation", "seen"),
    )
    AgentEngine.objects.filter(agent=shop.agent).exclude(program__in=rows).delete()


def forget_engines(agent: UUID) -> None:
    """Delete the slicers of an agent that is deleted."""
    AgentEngine.objects.filter(agent=agent).delete()


def require_own_profile(engine: AgentEngine, printer: Preset | None) -> None:
    """Raise NotSliceable unless a slicer has the profile that a printer's preset is made from."""
    if printer is None or printer.origin != engine.origin:
        raise _no_profile(engine)
    if not printer.has_start_gcode:
        raise NotSliceable(
            f"The installed profile of {printer.name} has no start G-code: have the profiles of "
            f"{engine.origin} itself installed, see docs/presets.md."
        )


def _no_profile(engine: AgentEngine) -> NotSliceable:
    return NotSliceable(
        f"{engine.origin} slices by profiles of its own: choose a preset of its catalogue, see GET "
        "/preset/, or another slicer."
    )


def adapter_of(engine: AgentEngine, config: Config) -> Engine:
    """Return what prepares the files of a slicer in a shop, and checks its G-code.

    Raises NotSliceable where it cannot slice the config.
    """
    local = installed_engines()[config.engine]
    if engine.engine != config.engine:
        raise NotSliceable(
            f"{engine.get_program_display()} slices configs of {engine.engine}, and this one is "
            f"of {config.engine}: choose another slicer, or another config."
        )
    if not engine.has_own_profiles:
        return local
    return OrcaSlicer(prusaslicer(), engine.get_program_display(), _own_profiles(engine, config))


def _own_profiles(engine: AgentEngine, config: Config) -> Mapping[str, str]:
    """Return the profiles that a config's presets were translated from, as files."""
    stored = config.preset if config.kind == Config.Kind.PRESET else None
    if not stored:
        raise _no_profile(engine)
    if stored.get("printer_gcode"):
        raise NotSliceable(
            "OrcaSlicer and Bambu Studio use the G-code of their own profile, and the config has "
            "confirmed start and end G-code: make one without `printer_gcode`."
        )
    presets: dict[Kind, Preset] = {}
    for kind, row in stored["presets"].items():
        preset = catalogue().by_key.get(UUID(row["key"]))
        if preset is None or preset.digest != row["digest"]:
            title = f"The preset {row['name']} is no longer installed as it was: make a new config."
            raise NotSliceable(title)
        presets[cast(Kind, kind)] = preset
    require_own_profile(engine, presets["printer"])
    profiles = {kind: (row.name, _profile(kind, row)) for kind, row in presets.items()}
    exported = exported_profiles(profiles, _changes(config, presets))
    if exported.not_exported:
        raise NotSliceable(
            f"OrcaSlicer and Bambu Studio have no equivalent of these settings, in which the "
            f"config differs from its presets: {', '.join(exported.not_exported[:10])}."
        )
    return exported.files


def _profile(kind: Kind, preset: Preset) -> Values:
    """Return the settings of the profile that a preset was translated from."""
    path = Path(settings.ORCA_PRESETS) / f"{preset.bundle}.json"
    match = None
    if path.is_file():
        match = _installed(path, path.stat().st_mtime_ns).find(kind, preset.name)
    if match is None:
        raise NotSliceable(
            f"{preset.name} is no installed profile of OrcaSlicer or Bambu Studio, whose command "
            "line needs it: choose a preset of their catalogue."
        )
    home, row = match
    return home.settings(kind, row.name)


@lru_cache(maxsize=4)
def _installed(path: Path, changed: int) -> Profiles:
    return profiles_of_set(path.read_bytes())


def _changes(config: Config, presets: Mapping[Kind, Preset]) -> dict[str, str]:
    """Return the settings of a config that differ from those of its presets."""
    triple = catalogue().triple(presets["printer"], presets["print"], presets["filament"])
    raw = flattened(triple, catalogue().known)
    plain = for_extruder(raw.settings, config.preset["extruder"] if config.preset else 1)
    return {
        key: value
        for key, value in settings_of(config).items()
        if plain.get(key) != value and key not in OF_PLACEHOLDERS
    }
