"""PrusaSlicer config bundles: presets with inheritance."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from apps.slicing.configs.text import BYTE_ORDER_MARK, HIDDEN, MAX_SETTINGS
from input_errors import InputError

LARGEST = 4_000_000  # bytes
MAX_PRESETS = 10_000
MAX_LINES = 100_000  # settings in the file
DEEPEST = 20  # presets that inherit from each other
# Settings that are copied while every preset is flattened, each in some 40 ns, and those that are
# kept of parents, each in some 60 bytes. PrusaResearch of 2.9.2 needs 720,000 and 116,000.
MAX_WORK = 6_000_000
MAX_KEPT = 600_000
VISIT = 10  # what one parent costs beside its settings
MAX_CONDITIONS = 100_000  # characters of all the different conditions in a bundle
MAX_NAME_LENGTH = 200  # characters of a preset's, a model's, a vendor's

KINDS = ("printer", "print", "filament")
CONDITIONS = ("compatible_printers_condition", "compatible_prints_condition")
# What is said of a preset alone, and not handed on.
OWN = ("inherits", "renamed_from")
NAME = re.compile(r"[a-z_]\w*")
SECTION = re.compile(r"\[([a-z_]+)(?::(.*))?\]")

# Settings that each preset of a slicer's own export has.
COMPLETE = {
    "printer": {"bed_shape", "end_gcode", "gcode_flavor", "nozzle_diameter", "start_gcode"},
    "print": {"fill_density", "infill_speed", "layer_height", "perimeter_speed", "perimeters"},
    "filament": {"bed_temperature", "filament_diameter", "filament_type", "temperature"},
}

Settings = dict[str, str]
# The settings of a preset that is not in the file, by kind and name; None where there is none.
Elsewhere = Callable[[str, str], Settings | None]


class GcodeTemplates(NamedTuple):
    """What a printer's profile in another slicer says of G-code.

    gcodes  : PrusaSlicer's name of each -> its text with the other slicer's placeholders
    profile : settings that have no equivalent, which the text may name
    """

    gcodes: Mapping[str, str]
    profile: Mapping[str, str]


class InvalidBundle(InputError):
    """A bundle that cannot be read; the other bundles of a catalogue do not need it."""


class Bundle:
    """The sections of a vendor's file.

    Inheritance is resolved on demand, and once for each preset that others inherit from: the work
    is bounded by the settings that are really copied, not by presets x settings x depth.

    identity  : what its presets are known by: the file's name, without its ending
    sections  : kind -> name -> what is written there
    names_in_conditions : the settings that its conditions refer to, and other words in them
    templates : whether its filaments are for the printers of every vendor
    elsewhere : where parents are looked up that are not in the file
    origin    : the program whose presets they are
    estimate_only : whether they are without the G-code that starts and ends a print
    """

    origin = "PrusaSlicer"
    estimate_only = False

    def gcode_templates(self, name: str) -> "GcodeTemplates":
        """Return the G-code of a printer in its slicer's own placeholders."""
        return GcodeTemplates({}, {})

    def __init__(
        self,
        identity: str,
        sections: Mapping[str, Mapping[str, Settings]],
        names_in_conditions: frozenset[str] = frozenset(),
        elsewhere: Elsewhere | None = None,
    ):
        self.identity = identity
        self.sections = sections
        self.names_in_conditions = names_in_conditions
        self._elsewhere = elsewhere
        about = sections.get("vendor", {}).get("", {})
        self.vendor = about.get("name", identity)
        self.version = about.get("config_version", "")
        self.templates = about.get("templates_profile") == "1"
        self._resolved: dict[tuple[str, str], Settings | InvalidBundle] = {}
        self._depth: dict[tuple[str, str], int] = {}
        self._work = self._kept = 0

    def names(self, kind: str) -> Iterator[str]:
        """Return the presets of a kind that can be chosen; names in asterisks are only inherited.

        kind : printer, print or filament
        """
        return (name for name in self.sections.get(kind, {}) if not _is_abstract(name))

    def model(self, identity: str) -> str:
        """Return the name of a printer model; its identity, where it has none."""
        return self.sections.get("printer_model", {}).get(identity, {}).get("name", identity)

    def parent(self, kind: str, name: str) -> str:
        """Return the preset that another one inherits from, by name; empty for none."""
        return self.sections[kind][name].get("inherits", "").partition(";")[0].strip()

    def dropped(self, kind: str, name: str) -> tuple[str, ...]:
        """Return the settings of a preset that are left out, by name."""
        return ()

    def remarks(self, kind: str, name: str) -> tuple[str, ...]:
        """Return what is used otherwise than the preset has it."""
        return ()

    def flat(self, kind: str, name: str) -> Settings:
        """Return every setting of a preset with what it inherits.

        Of several parents the last wins, and the preset's own lines over all. Raises InvalidBundle
        where a parent is missing, there is a circle, or a limit is exceeded.
        """
        self._work = 0
        return self._merged(kind, name, self._parents(kind, name, ()))

    def check(self) -> None:
        """Flatten every preset once. Raises InvalidBundle where that takes too much work."""
        self._work = 0
        for kind in KINDS:
            for name in self.names(kind):
                try:
                    self._merged(kind, name, self._parents(kind, name, ()))
                except InvalidBundle as invalid:
                    if invalid.code == "limit-exceeded":
                        raise

    def _parents(self, kind: str, name: str, heirs: tuple[str, ...]) -> list[Settings]:
        """Return the settings of a preset's parents, the weakest first."""
        place = f"[{kind}:{name[:MAX_NAME_LENGTH]}]"
        if name in heirs:
            circle = " > ".join([*heirs, name])[:300]
            raise InvalidBundle("invalid-bundle", f"{place} inherits from itself: {circle}.")
        own = self.sections[kind][name]
        names = [word for word in map(str.strip, own.get("inherits", "").split(";")) if word]
        found = [self._resolve(kind, parent, (*heirs, name)) for parent in names]
        depth = 1 + max((self._depth[kind, parent] for parent in names), default=-1)
        if depth > DEEPEST:
            raise _too_deep(kind, name)
        self._depth[kind, name] = depth
        return found

    def _resolve(self, kind: str, name: str, heirs: tuple[str, ...]) -> Settings:
        """Return the settings of a preset that another one inherits from."""
        self._spend(VISIT)
        settings = self._resolved.get((kind, name))
        if name not in self.sections.get(kind, {}):
            self._depth[kind, name] = 0
            return self._outside(kind, name, heirs[-1])
        if settings is None:
            if len(heirs) > DEEPEST:
                raise _too_deep(kind, name)
            try:
                settings = self._merged(kind, name, self._parents(kind, name, heirs))
                self._keep(len(settings))
            except InvalidBundle as invalid:
                settings = invalid
            self._resolved[kind, name] = settings
        if isinstance(settings, InvalidBundle):
            raise settings
        return settings

    def _outside(self, kind: str, name: str, heir: str) -> Settings:
        """Return the settings of a parent that is not in the file."""
        if self._elsewhere:
            if settings := self._elsewhere(kind, name):
                return settings
            if self.sections[kind][heir].keys() >= COMPLETE[kind]:
                return {}  # slicers export all settings, and the name of the parent beside
        parent = f"[{kind}:{name[:MAX_NAME_LENGTH]}]"
        title = f"[{kind}:{heir}] inherits from {parent}, which is not in the bundle."
        raise InvalidBundle("invalid-bundle", title)

    def _merged(self, kind: str, name: str, parents: list[Settings]) -> Settings:
        found: Settings = {}
        for parent in parents:
            self._spend(len(parent))
            found |= parent
        own = self.sections[kind][name]
        self._spend(len(own))
        found |= own
        for key in OWN:
            found.pop(key, None)
        if len(found) > MAX_SETTINGS:
            title = f"[{kind}:{name}] has more than {MAX_SETTINGS:,} settings."
            raise InvalidBundle("limit-exceeded", title)
        return found

    def _keep(self, settings: int) -> None:
        self._kept += settings
        if self._kept > MAX_KEPT:
            title = f"The presets hand more than {MAX_KEPT:,} settings on to each other."
            raise InvalidBundle("limit-exceeded", title)

    def _spend(self, work: int) -> None:
        self._work += work
        if self._work > MAX_WORK:
            title = f"The presets take over more than {MAX_WORK:,} settings from each other."
            raise InvalidBundle("limit-exceeded", title)


def read(data: bytes, identity: str, elsewhere: Elsewhere | None = None) -> Bundle:
    """Return the bundle in a file. Raises InvalidBundle, with the line.

    elsewhere : of a file that a user has exported; a complete preset needs no parent then
    """
    text = decoded(data)
    sections: dict[str, dict[str, Settings]] = {}
    section: Settings | None = None
    presets = settings = 0
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.strip()
        if not words or words[0] in "#;":
            continue
        if words[0] == "[":
            found = SECTION.fullmatch(words)
            if found is None:
                raise wrong_line(number, f"{words[:100]!r} is no section")
            kind, name = found[1], (found[2] or "").strip()
            if len(name) > MAX_NAME_LENGTH:
                raise wrong_line(number, f"a name is longer than {MAX_NAME_LENGTH} characters")
            if name in sections.setdefault(kind, {}):
                raise wrong_line(number, f"{words[:100]} is there twice")
            presets += 1
            if presets > MAX_PRESETS:
                title = f"The bundle has more than {MAX_PRESETS:,} presets."
                raise InvalidBundle("limit-exceeded", title)
            section = sections[kind][name] = {}
            continue
        key, equals, value = words.partition("=")
        if not equals or section is None:
            raise wrong_line(number, f"{words[:100]!r} is no setting in a section")
        settings += 1
        if settings > MAX_LINES:
            title = f"The bundle has more than {MAX_LINES:,} settings."
            raise InvalidBundle("limit-exceeded", title)
        section[key.strip()] = value.strip()
    _check_names(sections)
    bundle = Bundle(identity, sections, _names_in_conditions(sections), elsewhere)
    bundle.check()
    return bundle


def decoded(data: bytes) -> str:
    """Return the text of a file, with line ends of one kind. Raises InvalidBundle."""
    if len(data) > LARGEST:
        raise InvalidBundle("limit-exceeded", f"The file is larger than {LARGEST:,} bytes.")
    try:
        text = data.decode().removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidBundle("invalid-bundle", "The file is not UTF-8.") from error
    if hidden := HIDDEN.search(text):
        at = text.count("\n", 0, hidden.start()) + 1
        raise wrong_line(at, f"the character U+{ord(hidden[0]):04X} is not allowed")
    return text


def _check_names(sections: Mapping[str, Mapping[str, Settings]]) -> None:
    """Refuse long names, which are shown with every preset."""
    for kind, keys in (("vendor", ("name", "config_version")), ("printer_model", ("name",))):
        for name, about in sections.get(kind, {}).items():
            for key in keys:
                if len(about.get(key, "")) > MAX_NAME_LENGTH:
                    title = f"{key} of [{kind}:{name}] is longer than {MAX_NAME_LENGTH} characters."
                    raise InvalidBundle("invalid-bundle", title)


def _names_in_conditions(sections: Mapping[str, Mapping[str, Settings]]) -> frozenset[str]:
    """Return the names in the conditions, all of which are evaluated for every printer."""
    presets = (preset for kind in KINDS for preset in sections.get(kind, {}).values())
    different = {preset[name] for preset in presets for name in CONDITIONS if name in preset}
    if sum(map(len, different)) > MAX_CONDITIONS:
        title = f"The conditions have more than {MAX_CONDITIONS:,} characters together."
        raise InvalidBundle("limit-exceeded", title)
    return frozenset(NAME.findall(" ".join(different)))


def _too_deep(kind: str, name: str) -> InvalidBundle:
    place = f"[{kind}:{name[:MAX_NAME_LENGTH]}]"
    title = f"{place} is one of more than {DEEPEST} presets that inherit from each other in a row."
    return InvalidBundle("limit-exceeded", title)


def _is_abstract(name: str) -> bool:
    return name.startswith("*") and name.endswith("*")


def wrong_line(line: int, title: str) -> InvalidBundle:
    """Return the error of a line, counted from 1."""
    return InvalidBundle("invalid-bundle", f"Line {line}: {title}.")
