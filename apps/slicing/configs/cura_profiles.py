"""Profiles that users export from Cura (`.curaprofile`): changes to a quality of a machine.

The archive has an instance file for the machine and one for each extruder, with the sections
`general`, `metadata` and `values`. Values of the first extruder are stronger than the machine's.
"""

from collections.abc import Mapping
from typing import NamedTuple

from apps.slicing.configs import text
from apps.slicing.configs.archives import SettingsArchive
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.bundles import MAX_NAME_LENGTH, InvalidBundle, decoded

SECTIONS = ("general", "metadata", "values")
MARK = "[general]"
MAX_FILES = 40  # a machine and its extruders
FIRST = "0"

NO_PROFILE = (
    "The file is no profile of Cura: in Cura, open Preferences, Profiles, and export the profile."
)
SEVERAL = "The profile is for one machine: its files name several ({})."


class CuraProfile(NamedTuple):
    """A profile of a machine with one extruder that prints.

    definition : the machine, or what it shares its profiles with
    quality    : the quality that it changes, such as draft; empty for none
    values     : setting -> value; one that begins with `=` is an expression
    others     : further extruders, which do not print
    """

    name: str
    definition: str
    quality: str
    values: dict[str, str]
    others: int = 0


def is_profile(archive: SettingsArchive) -> bool:
    """Return whether all files of an archive begin as instance files do."""
    names = list(archive)
    starts = (archive.start(name, 200) for name in names[:MAX_FILES])
    return bool(names) and all(_begins(start) for start in starts)


def is_instance(content: bytes) -> bool:
    """Return whether a file is one instance file."""
    return _begins(content[:200]) and b"\n[values]" in content


def read_profile(contents: Mapping[str, bytes]) -> CuraProfile:
    """Return the profile in these files, which have names. Raises InvalidBundle."""
    if len(contents) > MAX_FILES:
        raise InvalidBundle("limit-exceeded", f"The profile has more than {MAX_FILES} files.")
    rows = [_sections(name, content) for name, content in contents.items()]
    definitions = {row["general"].get("definition", "") for row in rows} - {""}
    if not definitions:
        raise InvalidBundle("invalid-bundle", NO_PROFILE)
    if len(definitions) > 1:
        title = SEVERAL.format(", ".join(sorted(definitions))[:300])
        raise InvalidBundle("invalid-bundle", title)
    values: dict[str, str] = {}
    positions = [row["metadata"].get("position", "") for row in rows]
    for wanted in ("", FIRST):
        for row, position in zip(rows, positions, strict=True):
            values |= row["values"] if position == wanted else {}
    names = [row["general"].get("name", "") for row in rows]
    qualities = [row["metadata"].get("quality_type", "") for row in rows]
    return CuraProfile(
        next(filter(None, names), "Cura")[:MAX_NAME_LENGTH],
        definitions.pop()[:MAX_NAME_LENGTH],
        next((word for word in qualities if word not in ("", "not_supported")), "")[:100],
        values,
        sum(position not in ("", FIRST) for position in positions),
    )


def contents_of(archive: SettingsArchive) -> dict[str, bytes]:
    """Return the files of an archive. Raises InvalidBundle."""
    return {name: archive.read(name) for name in list(archive)[: MAX_FILES + 1]}


def _begins(start: bytes) -> bool:
    return start.decode(errors="replace").lstrip("\ufeff \r\n").startswith(MARK)


def _sections(name: str, content: bytes) -> dict[str, dict[str, str]]:
    try:
        cleaned = text.clean(decoded(content))
        return {
            section: {entry.key: entry.value for entry in text.entries(cleaned, section=section)}
            for section in SECTIONS
        }
    except RawConfigErrors as refused:
        raise InvalidBundle("invalid-bundle", f"{name[:100]}: {refused}"[:1000]) from refused
