"""Comparison of configs and presets, setting by setting."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from apps.slicing.configs import slic3r
from apps.slicing.configs.base import Entry
from apps.slicing.configs.bundles import KINDS, InvalidBundle
from apps.slicing.configs.facts import QUIET
from apps.slicing.configs.presets import normalize
from apps.slicing.configs.setting_kinds import kind_of_cura_setting, kind_of_setting
from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.domain.installed_engines import prusaslicer, settings_of
from apps.slicing.engines.base import SettingsError, SliceFailed
from apps.slicing.models import Config, EngineName
from apps.slicing.services.presets import PresetNotUsable, current_settings
from core.auth_user import Person
from core.errors import Conflict, ServiceError, UnknownResource

MAX_LISTED = 1_000  # settings that are listed
MAX_LENGTH = 2_000  # characters of a value that is shown
OTHER = "other"


class NotComparable(ServiceError):
    """The two have no settings in common."""

    code = "property-value-not-in-allowed-values"


class NothingToCompare(ServiceError):
    """It is not said what a config is compared with."""

    code = "missing-parameter"


@dataclass(frozen=True)
class ComparedSettings:
    """One of the two that are compared.

    kind     : of a preset; empty of a config, which has the settings of all kinds
    settings : as the engine is sent them
    """

    uri: str
    name: str
    version: str
    engine: str
    kind: str
    settings: Mapping[str, str]


class Difference(NamedTuple):
    """A setting whose values differ; a value is None where it is not set."""

    kind: str
    key: str
    first: str | None
    second: str | None
    shortened: bool


@dataclass(frozen=True)
class Differences:
    """The settings in which two configs or presets differ.

    count : of the settings that differ, also of those that are not listed
    equal : of those that do not
    """

    first: ComparedSettings
    second: ComparedSettings
    count: int
    equal: int
    listed: list[Difference]


def compare(*, user: Person, first: Config | Preset, other: str | None) -> Differences:
    """Return what differs between a config or a preset and another one.

    first : that `user` may read
    other : URI of a config or a preset; None: the presets that the config was made of, as they
            are installed now

    Raises UnknownResource, NothingToCompare, NotComparable, PresetNotUsable, Conflict.
    """
    left = _settings(first)
    right = _other(user, other) if other else _current(first)
    kind = left.kind or right.kind
    if left.engine != right.engine or right.kind not in ("", kind):
        title = f"{left.uri} and {right.uri} are of different engines or kinds: name another."
        raise NotComparable(title, field=OTHER)
    differences: list[Difference] = []
    equal = 0
    for difference in _differences(left, right, kind):
        if difference is None:
            equal += 1
        else:
            differences.append(difference)
    differences.sort(key=lambda row: (KINDS.index(row.kind), row.key))
    return Differences(left, right, len(differences), equal, differences[:MAX_LISTED])


def _differences(
    left: ComparedSettings, right: ComparedSettings, kind: str
) -> Iterator[Difference | None]:
    """Yield what each setting differs in; None where it does not.

    kind : of the settings; empty for all
    """
    kind_of = kind_of_setting if left.engine == EngineName.SLIC3R else kind_of_cura_setting
    for key in left.settings.keys() | right.settings.keys():
        if kind not in ("", kind_of(key)):
            continue
        values = left.settings.get(key), right.settings.get(key)
        if _plain(values[0]) == _plain(values[1]):
            yield None
            continue
        shown = [value if value is None else value[:MAX_LENGTH] for value in values]
        yield Difference(kind_of(key), key, shown[0], shown[1], tuple(shown) != values)


def _plain(value: str | None) -> object:
    """Return a value without its spelling: 0.20, 0.2 and 0.2,0.2 of two extruders are one."""
    values = slic3r.numbers(value) if value else None
    if not values or not value:
        return value
    return values[:1] if len(set(values)) == 1 else values, "%" in value


def _settings(row: Config | Preset) -> ComparedSettings:
    if isinstance(row, Preset):
        settings = _settings_of_preset(row)
        version = row.source.version
        return ComparedSettings(row.uri, row.name, version, row.engine, row.kind, settings)
    try:
        settings = _defaults(row.engine) | settings_of(row)
    except (SliceFailed, SettingsError) as failure:
        raise Conflict(str(failure), code="config-not-usable") from failure
    stored = row.preset if row.kind == Config.Kind.PRESET and row.preset else None
    name = row.description or (_names(stored) if stored else "")
    version = stored["version"] if stored else ""
    return ComparedSettings(row.uri, name, version, row.engine, "", settings)


def _defaults(engine: str) -> dict[str, str]:
    """Return what an engine uses for settings that it is not sent; CuraEngine is sent all."""
    if engine != EngineName.SLIC3R:
        return {}
    defaults = prusaslicer().capabilities().defaults
    return {key: value for key, value in defaults.items() if slic3r.is_sent(key)}


def _settings_of_preset(preset: Preset) -> dict[str, str]:
    """Return the settings of a preset, on the engine's defaults."""
    try:
        own = preset.source.flat(preset.kind, preset.name)
    except InvalidBundle as invalid:
        title = f"{preset.name} cannot be used: {invalid.title}"
        raise PresetNotUsable(title, field=OTHER) from invalid
    entries = [Entry(None, key, value) for key, value in own.items() if key not in QUIET]
    engine = prusaslicer().capabilities()
    chosen = slic3r.choose(entries, engine.defaults, renamed={}, known=engine)
    defaults = _defaults(preset.engine).items()
    settings = {key: value for key, value in defaults if kind_of_setting(key) == preset.kind}
    settings |= {key: entry.value for key, entry in chosen.entries.items()}
    if preset.kind == "print":
        normalize(settings)
    return settings


def _other(user: Person, uri: str) -> ComparedSettings:
    config = Config.objects.visible_to(user).filter(pk__in=Config.keys_of(uri)).first()
    if config is not None:
        return _settings(config)
    presets = catalogue().by_key if list(Preset.keys_of(uri)) else {}
    preset = next((presets[key] for key in Preset.keys_of(uri) if key in presets), None)
    if preset is None:
        title = f"{uri} is no config or preset that you may read: list them with GET /config/."
        raise UnknownResource(title, field=OTHER)
    return _settings(preset)


def _current(row: Config | Preset) -> ComparedSettings:
    """Return the presets that a config was made of as they are installed now."""
    if isinstance(row, Preset) or row.kind != Config.Kind.PRESET or row.preset is None:
        title = "Name a config or a preset to compare with: ?other=URI."
        raise NothingToCompare(title, field=OTHER)
    uri = Preset.uri_of(UUID(row.preset["presets"]["printer"]["key"]))
    settings, version = current_settings(row)
    return ComparedSettings(uri, _names(row.preset), version, row.engine, "", settings)


def _names(stored: Mapping[str, Mapping[str, Mapping[str, str]]]) -> str:
    return " · ".join(each["name"] for each in stored["presets"].values())
