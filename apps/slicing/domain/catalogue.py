"""The presets of the installed PrusaSlicer, read from its package when they are asked for."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from uuid import NAMESPACE_URL, UUID, uuid5

from django.conf import settings

from apps.slicing.configs import bundles, presets
from apps.slicing.configs.bundles import Bundle, InvalidBundle
from apps.slicing.configs.conditions import InvalidCondition
from apps.slicing.configs.presets import Facts, Triple
from apps.slicing.configs.text import HIDDEN
from apps.slicing.domain.engine_room import prusaslicer
from core.circumstances import once_a_request
from core.errors import Unavailable
from core.resources import Addressed

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Preset(Facts, Addressed):
    """A preset of the catalogue; its key is of vendor, kind and name, whatever the version."""

    SERVICE = "slicing"
    KIND = "preset"

    engine: str
    engine_version: str

    @cached_property
    def uuid(self) -> UUID:  # type: ignore[override]
        names = (self.engine, self.bundle, self.kind, self.name)
        return uuid5(NAMESPACE_URL, "\n".join(names))


class Catalogue:
    """The presets of the bundles in a folder.

    refused : the bundles that cannot be read, by name, and why
    """

    def __init__(self, folder: Path):
        engine = prusaslicer()
        self.defaults, self.engine = engine.defaults(), engine
        self.refused: dict[str, InvalidBundle] = {}
        self._bundles: dict[str, Bundle] = {}
        self._presets: dict[tuple[str, str], list[Preset]] = {}
        self._defaults: dict[UUID, tuple[Preset | None, Preset | None]] = {}
        for path in sorted(folder.glob("*.ini")):
            try:
                self._add(path)
            except InvalidBundle as refusal:
                self.refused[path.stem] = refusal
                log.warning("The presets of %r are left out: %s", str(path), refusal.title)
        self.by_key = {preset.uuid: preset for found in self._presets.values() for preset in found}

    def __iter__(self) -> Iterator[Preset]:
        return iter(self.by_key.values())

    def find(self, uri: str, kind: str) -> Preset | None:
        """The preset of this kind that `uri` names."""
        found = next((self.by_key.get(key) for key in Preset.keys_of(uri)), None)
        return found if found and found.kind == kind else None

    def fitting(self, kind: str, printer: Preset, print_: Preset | None = None) -> list[Preset]:
        """The prints or filaments that are for a printer, and for a print as well."""
        return _fitting(self._presets.get((printer.bundle, kind), []), printer, print_)

    def for_print(self, print_: Preset) -> list[Preset]:
        """The filaments that are for a print, whatever the printer."""
        return _fitting(self._presets.get((print_.bundle, "filament"), []), None, print_)

    def defaults_of(self, printer: Preset) -> tuple[Preset | None, Preset | None]:
        """The print and the filament that a printer is best begun with."""
        if printer.uuid not in self._defaults:
            print_ = presets.nearest_print(self._usable("print", printer), printer)
            filament = self.default_filament(printer, print_) if print_ else None
            self._defaults[printer.uuid] = print_, filament
        return self._defaults[printer.uuid]

    def default_filament(
        self, printer: Preset, print_: Preset, material: str | None = None
    ) -> Preset | None:
        """The filament that a printer is best begun with, of those that are for the print.

        material : only of this type, such as PETG
        """
        rows = self._usable("filament", printer, print_)
        fitting = [row for row in rows if material in (None, row.filament_type)]
        return presets.plainest_filament(fitting, printer)

    def triple(self, printer: Preset, print_: Preset, filament: Preset) -> Triple:
        """All that three presets say."""
        bundle = self._bundles[printer.bundle]
        bundle.begin()
        return Triple(*(bundle.flat(row.kind, row.name) for row in (printer, print_, filament)))

    def _usable(self, kind: str, printer: Preset, print_: Preset | None = None) -> list[Preset]:
        return [row for row in self.fitting(kind, printer, print_) if row.usable]

    def _add(self, path: Path) -> None:
        bundle = bundles.read(_content(path), path.stem)
        engine, version = self.engine.identifier, str(self.engine.version())

        def preset(kind: str, name: str) -> Preset:
            facts = vars(presets.facts_of(bundle, kind, name, self.defaults))
            return Preset(**facts, engine=engine, engine_version=version)

        found = {
            (bundle.identity, kind): [preset(kind, name) for name in bundle.names(kind)]
            for kind in bundles.KINDS
        }
        self._bundles[bundle.identity] = bundle
        self._presets |= found


@once_a_request
def catalogue() -> Catalogue:
    """The catalogue of what is installed now. Raises Unavailable without PrusaSlicer."""
    engine = prusaslicer()
    if engine.version() is None:
        raise Unavailable(engine.missing(), code="engine-not-installed")
    folder = Path(settings.PRESETS)
    return _read(folder, tuple(_state(path) for path in sorted(folder.glob("*.ini"))))


def is_outdated(kept: Iterable[Mapping[str, str]]) -> bool:
    """Whether presets say something else now than when they were used, or are gone.

    kept : the key and the digest of each
    """
    try:
        now = catalogue().by_key
    except Unavailable:
        return False
    found = [(now.get(UUID(row["key"])), row["digest"]) for row in kept]
    return any(preset is None or preset.digest != digest for preset, digest in found)


@lru_cache(maxsize=1)
def _read(folder: Path, state: tuple[tuple[str, int, int], ...]) -> Catalogue:
    """Read once, and again when a file of the package is another."""
    return Catalogue(folder)


def _state(path: Path) -> tuple[str, int, int]:
    """What tells one version of a file from the next; of what is no file, its name alone."""
    try:
        state = path.stat()
    except OSError:
        return path.name, 0, 0
    return path.name, state.st_mtime_ns, state.st_size


def _content(path: Path) -> bytes:
    """As much of a bundle's file as is read. Raises InvalidBundle."""
    if HIDDEN.search(path.name):
        title = "The file's name has characters that are not allowed."
        raise InvalidBundle("invalid-bundle", title)
    try:
        if not path.is_file():  # a pipe would be waited for, a device goes on for ever
            raise InvalidBundle("invalid-bundle", "It is no file, or leads to none.")
        with path.open("rb") as file:
            return file.read(bundles.LARGEST + 1)
    except OSError as error:
        title = f"The file cannot be read: {error.strerror}."
        raise InvalidBundle("invalid-bundle", title) from error


def _fitting(rows: Iterable[Preset], printer: Preset | None, print_: Preset | None) -> list[Preset]:
    """Those that are for these two; what many of them say is asked once."""
    answers: dict[tuple[str, ...], bool] = {}
    found = []
    for row in rows:
        asks = row.asks
        if asks not in answers:
            answers[asks] = _fits(row, printer, print_)
        if answers[asks]:
            found.append(row)
    return found


def _fits(row: Preset, printer: Preset | None, print_: Preset | None) -> bool:
    try:
        return presets.fits(row, printer=printer, print_=print_)
    except InvalidCondition:  # a preset too few is better than a wrong one; it is in its notes
        return False
