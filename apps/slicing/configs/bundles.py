"""Reads a vendor's bundle: an ini file of sections, whose presets inherit from each other."""

import re
from collections.abc import Iterator, Mapping

from apps.slicing.configs.text import BYTE_ORDER_MARK, HIDDEN, MOST_SETTINGS
from refusal import Refusal

LARGEST = 4_000_000  # bytes
MOST_PRESETS = 10_000
MOST_LINES = 100_000  # of all its settings
DEEPEST = 20  # presets that inherit from each other
MOST_WORK = 2_500_000  # settings taken over while all presets of a bundle are flattened
MOST_TEXT = 50_000_000  # characters of all that its presets say
VISIT = 50  # what a look at one of them costs beside
MOST_CONDITIONS = 100_000  # characters of all the different conditions in a bundle
LONGEST_NAME = 200  # characters of a preset's, a model's, a vendor's

KINDS = ("printer", "print", "filament")
CONDITIONS = ("compatible_printers_condition", "compatible_prints_condition")
# What is said of a preset alone, and not handed on.
OWN = ("inherits", "renamed_from")
NAME = re.compile(r"[a-z_]\w*")
SECTION = re.compile(r"\[([a-z_]+)(?::(.*))?\]")

Settings = dict[str, str]


class InvalidBundle(Refusal):
    """A bundle that cannot be read; the rest of a catalogue does without it."""


class Bundle:
    """The sections of a vendor's file.

    identity : what its presets are known by: the file's name, without its ending
    sections : kind -> name -> what is written there
    asked    : the settings that its conditions ask about, and what else is written there
    """

    def __init__(
        self,
        identity: str,
        sections: Mapping[str, Mapping[str, Settings]],
        asked: frozenset[str] = frozenset(),
    ):
        self.identity = identity
        self.sections = sections
        self.asked = asked
        about = sections.get("vendor", {}).get("", {})
        self.vendor = about.get("name", identity)
        self.version = about.get("config_version", "")
        self.work = 0  # settings taken over so far
        self.told = 0  # characters of what was asked for so far

    def names(self, kind: str) -> Iterator[str]:
        """The presets of a kind that can be chosen: those in asterisks are there to inherit from.

        kind : printer, print or filament
        """
        return (name for name in self.sections.get(kind, {}) if not _is_abstract(name))

    def model(self, identity: str) -> str:
        """The name of a printer's model; its identity, where it has none."""
        return self.sections.get("printer_model", {}).get(identity, {}).get("name", identity)

    def flat(self, kind: str, name: str) -> Settings:
        """All that a preset says: of several parents the last wins, and its own lines over all.

        Whoever goes on asking for more calls `begin` in between. Raises InvalidBundle where a
        parent is missing, or there is a circle.
        """
        found = self._flat(kind, name, ())
        self.told += sum(map(len, found)) + sum(map(len, found.values()))
        if self.told > MOST_TEXT:
            title = f"The presets say more than {MOST_TEXT:,} characters together."
            raise InvalidBundle("limit-exceeded", title)
        return found

    def begin(self) -> None:
        """Count anew what is asked for."""
        self.work = self.told = 0

    def _flat(self, kind: str, name: str, heirs: tuple[str, ...]) -> Settings:
        place = f"[{kind}:{name[:LONGEST_NAME]}]"
        if name in heirs:
            circle = " > ".join([*heirs, name])[:300]
            raise InvalidBundle("invalid-bundle", f"{place} inherits from itself: {circle}.")
        if len(heirs) > DEEPEST:
            title = f"{place} stands under more than {DEEPEST} presets that inherit from it."
            raise InvalidBundle("limit-exceeded", title)
        own = self.sections.get(kind, {}).get(name)
        if own is None:
            title = f"[{kind}:{heirs[-1]}] inherits from {place}, which is not in the bundle."
            raise InvalidBundle("invalid-bundle", title)
        found: Settings = {}
        for parent in filter(None, map(str.strip, own.get("inherits", "").split(";"))):
            found |= self._flat(kind, parent, (*heirs, name))
        found |= {key: value for key, value in own.items() if key not in OWN}
        if len(found) > MOST_SETTINGS:
            raise InvalidBundle(
                "limit-exceeded", f"{place} has more than {MOST_SETTINGS:,} settings."
            )
        self.work += len(found) + VISIT
        if self.work > MOST_WORK:
            title = f"The presets take over more than {MOST_WORK:,} settings from each other."
            raise InvalidBundle("limit-exceeded", title)
        return found


def read(data: bytes, identity: str) -> Bundle:
    """The bundle in a file. Raises InvalidBundle, with the line."""
    if len(data) > LARGEST:
        raise InvalidBundle("limit-exceeded", f"The file is larger than {LARGEST:,} bytes.")
    try:
        text = data.decode().removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InvalidBundle("invalid-bundle", "The file is not UTF-8.") from error
    sections: dict[str, dict[str, Settings]] = {}
    section: Settings | None = None
    presets = settings = 0
    if hidden := HIDDEN.search(text):
        at = text.count("\n", 0, hidden.start()) + 1
        raise _wrong(at, f"the character U+{ord(hidden[0]):04X} is not allowed")
    for number, line in enumerate(text.split("\n"), start=1):
        words = line.strip()
        if not words or words[0] in "#;":
            continue
        if words[0] == "[":
            found = SECTION.fullmatch(words)
            if found is None:
                raise _wrong(number, f"{words[:100]!r} is no section")
            kind, name = found[1], (found[2] or "").strip()
            if len(name) > LONGEST_NAME:
                raise _wrong(number, f"a name is longer than {LONGEST_NAME} characters")
            if name in sections.setdefault(kind, {}):
                raise _wrong(number, f"{words[:100]} is there twice")
            presets += 1
            if presets > MOST_PRESETS:
                title = f"The bundle has more than {MOST_PRESETS:,} presets."
                raise InvalidBundle("limit-exceeded", title)
            section = sections[kind][name] = {}
            continue
        key, equals, value = words.partition("=")
        if not equals or section is None:
            raise _wrong(number, f"{words[:100]!r} is no setting in a section")
        settings += 1
        if settings > MOST_LINES:
            title = f"The bundle has more than {MOST_LINES:,} settings."
            raise InvalidBundle("limit-exceeded", title)
        section[key.strip()] = value.strip()
    _check_names(sections)
    return Bundle(identity, sections, _asked(sections))


def _check_names(sections: Mapping[str, Mapping[str, Settings]]) -> None:
    """What every preset is told with must be short."""
    for kind, keys in (("vendor", ("name", "config_version")), ("printer_model", ("name",))):
        for name, about in sections.get(kind, {}).items():
            for key in keys:
                if len(about.get(key, "")) > LONGEST_NAME:
                    title = f"{key} of [{kind}:{name}] is longer than {LONGEST_NAME} characters."
                    raise InvalidBundle("invalid-bundle", title)


def _asked(sections: Mapping[str, Mapping[str, Settings]]) -> frozenset[str]:
    """The names in the conditions. Every printer is asked every one: all of them must be short."""
    presets = (preset for kind in KINDS for preset in sections.get(kind, {}).values())
    different = {preset[name] for preset in presets for name in CONDITIONS if name in preset}
    if sum(map(len, different)) > MOST_CONDITIONS:
        title = f"The conditions have more than {MOST_CONDITIONS:,} characters together."
        raise InvalidBundle("limit-exceeded", title)
    return frozenset(NAME.findall(" ".join(different)))


def _is_abstract(name: str) -> bool:
    return name.startswith("*") and name.endswith("*")


def _wrong(line: int, title: str) -> InvalidBundle:
    return InvalidBundle("invalid-bundle", f"Line {line}: {title}.")
