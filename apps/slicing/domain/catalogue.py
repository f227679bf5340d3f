"""Preset catalogue of the installed PrusaSlicer."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from operator import attrgetter
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings

from apps.slicing.configs import bundles, presets
from apps.slicing.configs.bundles import Bundle, InvalidBundle
from apps.slicing.configs.facts import Facts, facts_of
from apps.slicing.configs.orca.bundle import TranslatedBundle, translated_bundle
from apps.slicing.configs.orca.files import MAX_FILE_BYTES, read_profiles
from apps.slicing.configs.orca.profiles import Profiles
from apps.slicing.configs.orca.sets import MAX_SET_BYTES, profiles_of_set, read_set
from apps.slicing.configs.presets import Triple
from apps.slicing.configs.text import HIDDEN
from apps.slicing.domain.installed_engines import prusaslicer
from core.errors import Unavailable
from core.request_context import cached_per_request
from core.resources import HasUri

log = logging.getLogger(__name__)

MAX_FITTING = 64  # printers, each with a print or without one, whose fitting presets are kept


@dataclass(frozen=True, eq=False)
class Preset(Facts, HasUri):
    """A preset of the catalogue; its key is of bundle, kind and name, whatever the version."""

    SERVICE = "slicing"
    KIND = "preset"

    engine: str
    engine_version: str

    @cached_property
    def uuid(self) -> UUID:  # type: ignore[override]
        names = (self.engine, self.bundle, self.kind, self.name)
        return uuid5(NAMESPACE_URL, "\n".join(names))


class Catalogue:
    """The presets of the bundles in a folder, and of sets of OrcaSlicer's and Bambu Studio's.

    What fits a printer is evaluated when it is needed, for the last printers only.

    refused : the bundles that cannot be read, by name, and why
    """

    def __init__(self, folder: Path, translated: Path | None = None):
        engine = prusaslicer()
        self.known, self.engine = engine.capabilities(), engine
        self.defaults = self.known.defaults
        self.refused: dict[str, InvalidBundle] = {}
        self._bundles: dict[str, Bundle] = {}
        self._presets: dict[tuple[str, str], list[Preset]] = {}
        self._defaults: dict[UUID, tuple[Preset | None, Preset | None]] = {}
        self._fitting = lru_cache(maxsize=MAX_FITTING)(self._evaluate)
        self.by_key: dict[UUID, Preset] = {}
        for path in _bundle_paths(folder, translated):
            try:
                self._add(read_bundle(path))
            except InvalidBundle as rejection:
                self.refused[path.stem] = rejection
                log.warning("The presets of %r are left out: %s", str(path), rejection.title)
        for templates in filter(attrgetter("templates"), self._bundles.values()):
            for bundle in self._bundles.values():  # its conditions ask about their printers
                bundle.names_in_conditions |= templates.names_in_conditions

    def __iter__(self) -> Iterator[Preset]:
        return iter(self.by_key.values())

    def find(self, uri: str, kind: str) -> Preset | None:
        """Return the preset of this kind that `uri` names."""
        found = next((self.by_key.get(key) for key in Preset.keys_of(uri)), None)
        return found if found and found.kind == kind else None

    def fitting(
        self, kind: str, printer: Preset, print_: Preset | None = None, extruder: int = 1
    ) -> tuple[Preset, ...]:
        """Return the prints or filaments that are for a printer, and for a print as well.

        extruder : in which a filament is; 1 for the first
        """
        return self._fitting(kind, printer, print_, extruder if kind == "filament" else 1)

    def for_print(self, print_: Preset) -> tuple[Preset, ...]:
        """Return the filaments that are for a print, whatever the printer."""
        return self._fitting("filament", None, print_, 1)

    def defaults_of(self, printer: Preset) -> tuple[Preset | None, Preset | None]:
        """Return the print and the filament to begin with."""
        if printer.uuid not in self._defaults:
            print_ = presets.nearest_print(self._usable("print", printer), printer)
            filament = self.default_filament(printer, print_) if print_ else None
            self._defaults[printer.uuid] = print_, filament
        return self._defaults[printer.uuid]

    def default_filament(
        self, printer: Preset, print_: Preset, material: str | None = None, extruder: int = 1
    ) -> Preset | None:
        """Return the filament to begin with, of those that are for the print.

        material : only of this type, such as PETG
        """
        rows = self._usable("filament", printer, print_, extruder)
        fitting = [row for row in rows if material in (None, row.filament_type)]
        return presets.plainest_filament(fitting, printer)

    def triple(self, printer: Preset, print_: Preset, filament: Preset) -> Triple:
        """Return all settings of three presets."""
        rows = (printer, print_, filament)
        return Triple(*(row.source.flat(row.kind, row.name) for row in rows))

    def _usable(
        self, kind: str, printer: Preset, print_: Preset | None = None, extruder: int = 1
    ) -> list[Preset]:
        return [row for row in self.fitting(kind, printer, print_, extruder) if row.usable]

    def _evaluate(
        self, kind: str, printer: Preset | None, print_: Preset | None, extruder: int
    ) -> tuple[Preset, ...]:
        """Return the presets that fit; conditions that many have are evaluated once."""
        home = (printer or print_).bundle  # type: ignore[union-attr]
        found = _fitting(self._presets.get((home, kind), []), printer, print_, extruder)
        if kind == "filament":  # templates stand in where the vendor has none of that name
            own = {_alias(row.name) for row in found}
            for identity, bundle in self._bundles.items():
                if bundle.templates and identity != home:
                    rows = _fitting(self._presets[identity, kind], printer, print_, extruder)
                    found += [row for row in rows if _alias(row.name) not in own]
        return tuple(found)

    def _add(self, bundle: Bundle) -> None:
        version = str(self.engine.version())
        make = partial(Preset, engine=self.engine.identifier, engine_version=version)
        for kind in bundles.KINDS:
            rows = [
                facts_of(bundle, kind, name, self.defaults, make) for name in bundle.names(kind)
            ]
            self._presets[bundle.identity, kind] = rows
            self.by_key |= {preset.uuid: preset for preset in rows}
        self._bundles[bundle.identity] = bundle


@cached_per_request
def catalogue() -> Catalogue:
    """The catalogue of what is installed now. Raises Unavailable without PrusaSlicer."""
    engine = prusaslicer()
    if engine.version() is None:
        raise Unavailable(engine.missing(), code="engine-not-installed")
    folder, translated = Path(settings.PRESETS), Path(settings.ORCA_PRESETS)
    state = tuple(_state(path) for path in _bundle_paths(folder, translated))
    return _read(folder, translated, state)


def is_outdated(kept: Iterable[Mapping[str, str]]) -> bool:
    """Return whether presets have changed or disappeared since they were used.

    kept : the key and the digest of each
    """
    try:
        now = catalogue().by_key
    except Unavailable:
        return False
    found = [(now.get(UUID(row["key"])), row["digest"]) for row in kept]
    return any(preset is None or preset.digest != digest for preset, digest in found)


@lru_cache(maxsize=1)
def _read(folder: Path, translated: Path, state: tuple[tuple[str, int, int], ...]) -> Catalogue:
    """Read once, and again when a file of the package is another."""
    return Catalogue(folder, translated)


def _bundle_paths(folder: Path, translated: Path | None) -> list[Path]:
    """Return the vendors' bundles, then the sets of profiles beside them."""
    return [
        *sorted(folder.glob("*.ini")),
        *(sorted(translated.glob("*.json")) if translated else ()),
    ]


def read_bundle(path: Path) -> Bundle:
    """Return the presets of a file. Raises InvalidBundle."""
    if path.suffix == ".json":
        return read_set(_content(path, MAX_SET_BYTES), path.stem)
    return bundles.read(_content(path, bundles.LARGEST), path.stem)


def _state(path: Path) -> tuple[str, int, int]:
    """Return name, time of change and size of a file, which tell versions apart."""
    try:
        state = path.stat()
    except OSError:
        return path.name, 0, 0
    return path.name, state.st_mtime_ns, state.st_size


def read_profile_file(path: Path) -> TranslatedBundle:
    """Return the presets of a file that OrcaSlicer or Bambu Studio has exported.

    Parents that are not in the file are looked up in the installed sets. Raises InvalidBundle.
    """
    rows = read_profiles(_content(path, MAX_FILE_BYTES), filename=path.name)
    sets = sorted(Path(settings.ORCA_PRESETS).glob("*.json"))
    installed = [profiles_of_set(_content(each, MAX_SET_BYTES)) for each in sets]
    profiles = Profiles(rows, elsewhere=installed)
    return translated_bundle(profiles, identity=path.name, origin="OrcaSlicer")


def _content(path: Path, limit: int) -> bytes:
    """As much of a bundle's file as is read. Raises InvalidBundle."""
    if HIDDEN.search(path.name):
        title = "The file's name has characters that are not allowed."
        raise InvalidBundle("invalid-bundle", title)
    try:
        if not path.is_file():  # a pipe would be waited for, a device goes on for ever
            raise InvalidBundle("invalid-bundle", "It is no file, or leads to none.")
        with path.open("rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        title = f"The file cannot be read: {error.strerror}."
        raise InvalidBundle("invalid-bundle", title) from error


def _fitting(
    rows: Iterable[Preset], printer: Preset | None, print_: Preset | None, extruder: int
) -> list[Preset]:
    """Return the presets that fit; what many of them say is evaluated once."""
    answers: dict[tuple[str, ...], bool] = {}
    for row in rows:
        if row.asks not in answers:
            answers[row.asks] = presets.fits(row, printer=printer, print_=print_, extruder=extruder)
    return [row for row in rows if answers[row.asks]]


def _alias(name: str) -> str:
    """Return a name without the printer that it is for."""
    return name.partition("@")[0].rstrip()
