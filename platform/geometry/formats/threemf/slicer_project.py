"""Slicer projects: PrusaSlicer, OrcaSlicer and Bambu Studio metadata in a 3MF.

A slicer writes modifiers, negative volumes and support blockers as meshes: by the standard alone
they look like parts.
"""

import re
from collections import defaultdict
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder

import orjson

from geometry.formats.archive import Archive
from geometry.formats.objects import label
from geometry.formats.threemf.xml import InvalidXml, XmlParser

PRUSA = "Metadata/Slic3r_PE_model.config"
PRUSA_SETTINGS = "Metadata/Slic3r_PE.config"
BAMBU = "Metadata/model_settings.config"
BAMBU_SETTINGS = "Metadata/project_settings.config"
# The settings that name the presets of a project, in both.
PRESETS = {
    "printer": "printer_settings_id",
    "print": "print_settings_id",
    "filament": "filament_settings_id",
}
OF_FILAMENTS = ("filament_colour", "extruder_colour", "filament_type")
LARGEST = 16 * 1024**2  # bytes of a settings file that are read
# What is no part, as each slicer calls it.
BESIDE = {
    "1": "modifier",  # before the types had names
    "ParameterModifier": "modifier",
    "NegativeVolume": "negative volume",
    "SupportBlocker": "support blocker",
    "SupportEnforcer": "support enforcer",
    "SeamPosition": "seam position",  # and the next two: of SuperSlicer
    "BrimPatch": "brim patch",
    "BrimNegative": "brim patch",
    "modifier_part": "modifier",
    "negative_part": "negative volume",
    "support_blocker": "support blocker",
    "support_enforcer": "support enforcer",
}
# What Cura calls a mesh that is no part: settings of the object, which are "True".
CURA_HELPERS = {
    "anti_overhang_mesh": "support blocker",
    "support_mesh": "support",
    "infill_mesh": "modifier",
    "cutting_mesh": "modifier",
}
CURA_DEFAULTS = {"drop_to_buildplate", "print_order", "extruder_nr"}  # of every object
# What of an object is read elsewhere, or is of no use outside the slicer.
NO_SETTINGS = {"name", "extruder", "source_file", "matrix", "volume_type", "modifier", "part_type"}
COLOR = re.compile(r"#[0-9A-Fa-f]{6}([0-9A-Fa-f]{2})?")


class PartVolume(NamedTuple):
    """A piece of an object.

    beside      : what it is, where it is no part of it
    part        : id of the object that holds its mesh; None where it is facets of the one mesh
    first, last : these facets
    """

    name: str
    beside: str | None
    part: str | None
    first: int
    last: int
    extruder: int | None


class ObjectSettings(NamedTuple):
    """An object: what the slicer calls it, how it is to be printed, and what it is made of."""

    name: str
    settings: dict[str, str]
    extruder: int | None
    volumes: list[PartVolume]


class Plate(NamedTuple):
    number: int
    name: str | None


class Project(NamedTuple):
    """A slicer's words on a file: all empty where none wrote it.

    objects   : by their ids in the root part of the package
    plates    : those that there are
    on_plate  : (id, number of its instance, from 0) -> number of the plate
    filaments : (colour, material) of the extruders, from 1
    presets   : their names, by the settings that hold them
    unread    : files of settings that could not be read
    """

    objects: dict[str, ObjectSettings]
    plates: list[Plate]
    on_plate: dict[tuple[str, int], int]
    filaments: list[tuple[str | None, str | None]]
    presets: dict[str, list[str]]
    unread: list[str]

    def profiles(self, program: str) -> list[dict[str, object]]:
        """Return the presets that its settings are of, each by name or null; nothing without.

        program : that wrote the file, such as PrusaSlicer-2.7.4
        """
        names = {kind: self.presets.get(key, []) for kind, key in PRESETS.items()}
        if not any(names.values()):
            return []
        shown = {kind: ", ".join(filter(None, rows))[:255] or None for kind, rows in names.items()}
        return [{"program": program.replace("-", " ", 1) or None, **shown}]

    def filament(self, extruder: int | None) -> tuple[str | None, str | None]:
        """Colour and material of an extruder."""
        if extruder is None or not 1 <= extruder <= len(self.filaments):
            return None, None
        return self.filaments[extruder - 1]


def read(archive: Archive) -> Project:
    """What a slicer wrote into a package.

    Raises InputError: unreadable, for a document type; archive-limit.
    """
    project = Project({}, [], {}, [], {}, [])
    for name, take in (
        (PRUSA, _take_prusa),
        (BAMBU, _take_bambu),
        (PRUSA_SETTINGS, _take_prusa_settings),
        (BAMBU_SETTINGS, _take_bambu_settings),
    ):
        if name not in archive:
            continue
        content = archive[name]
        try:
            if len(content) > LARGEST:
                raise ValueError(name)
            take(project, name, content)
        except (InvalidXml, ValueError):  # JSON's errors are such, too
            project.unread.append(name)
    return project


def cura_helper(settings: dict[str, str]) -> str | None:
    """What an object of Cura is, where it is no part."""
    return next((CURA_HELPERS[name] for name in CURA_HELPERS if _is_true(settings.get(name))), None)


def cura_settings(settings: dict[str, str]) -> dict[str, str]:
    """How Cura was to print an object, as far as that was set for it alone."""
    return {name: value for name, value in settings.items() if name not in CURA_DEFAULTS}


def _is_true(value: str | None) -> bool:
    return value is not None and value.strip().lower() in ("true", "1")


def _tree(name: str, content: bytes) -> Element:
    """The elements of XML; prefixes are left as they are.

    PrusaSlicer writes elements of namespaces that it does not declare.
    """
    builder = TreeBuilder()
    XmlParser(name, content).parse(builder.start, builder.end)
    return builder.close()


def _take_prusa(project: Project, name: str, content: bytes) -> None:
    for thing in _tree(name, content).iter("object"):
        words = _metadata(thing)
        volumes = []
        for volume in thing.iter("volume"):
            inner = _metadata(volume)
            kind = "ParameterModifier" if inner.get("modifier") == "1" else ""
            kind = inner.get("volume_type", kind)
            volumes.append(
                PartVolume(
                    name=label(inner.get("name", "")) or "",
                    beside=BESIDE.get(kind),
                    part=None,
                    first=int(volume.get("firstid", 0)),
                    last=int(volume.get("lastid", -1)),
                    extruder=_number(inner.get("extruder")),
                )
            )
        project.objects[thing.get("id", "")] = _object_settings(words, volumes)


def _take_bambu(project: Project, name: str, content: bytes) -> None:
    root = _tree(name, content)
    for thing in root.iter("object"):
        volumes = []
        for part in thing.iter("part"):
            inner = _metadata(part)
            kind = inner.get("volume_type") or inner.get("part_type") or part.get("subtype") or ""
            volumes.append(
                PartVolume(
                    name=label(inner.get("name", "")) or "",
                    beside=BESIDE.get(kind),
                    part=part.get("id"),
                    first=0,
                    last=-1,
                    extruder=_number(inner.get("extruder")),
                )
            )
        project.objects[thing.get("id", "")] = _object_settings(_metadata(thing), volumes)
    for plate in root.iter("plate"):
        words = _metadata(plate)
        number = int(words.get("plater_id", len(project.plates) + 1))
        project.plates.append(Plate(number, words.get("plater_name") or None))
        for instance in plate.iter("model_instance"):
            inner = _metadata(instance)
            key = inner.get("object_id", ""), int(inner.get("instance_id", 0))
            project.on_plate[key] = number


def _take_prusa_settings(project: Project, name: str, content: bytes) -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for line in content.decode("utf-8", "replace").splitlines():
        key, given, words = line.lstrip("; ").partition(" = ")
        if given and key in (*PRESETS.values(), *OF_FILAMENTS):
            found[key] = [word.strip(' "') for word in words.split(";")]
    project.presets.update({key: found[key] for key in PRESETS.values() if key in found})
    own = found["extruder_colour"]
    colors = [
        own[at] if at < len(own) and COLOR.fullmatch(own[at]) else color
        for at, color in enumerate(found["filament_colour"])
    ]
    _add_filaments(project, colors, found["filament_type"])


def _take_bambu_settings(project: Project, name: str, content: bytes) -> None:
    words = orjson.loads(content)
    if not isinstance(words, dict):
        raise ValueError("no object")
    for key in PRESETS.values():
        names = words.get(key) or []
        names = names if isinstance(names, list) else [names]
        project.presets[key] = [str(name)[:255] for name in names[:64]]
    colors, types = (words.get(key) for key in ("filament_colour", "filament_type"))
    _add_filaments(
        project,
        colors if isinstance(colors, list) else [],
        types if isinstance(types, list) else [],
    )


def _add_filaments(project: Project, colors: list, types: list) -> None:
    for at in range(min(max(len(colors), len(types)), 64)):
        color = str(colors[at]) if at < len(colors) else ""
        material = str(types[at])[:100] if at < len(types) else ""
        known = color.upper() if COLOR.fullmatch(color) else None
        project.filaments.append((known, material or None))


def _object_settings(words: dict[str, str], volumes: list[PartVolume]) -> ObjectSettings:
    settings = {name: value for name, value in words.items() if name not in NO_SETTINGS}
    return ObjectSettings(
        label(words.get("name", "")) or "", settings, _number(words.get("extruder")), volumes
    )


def _metadata(of: Element) -> dict[str, str]:
    """What is said of an element itself, cut to what a receipt can hold."""
    return {
        words.get("key", "")[:100]: (words.get("value") or "")[:255]
        for words in of.findall("metadata")
        if words.get("key")
    }


def _number(words: str | None) -> int | None:
    return int(words) if words and words.isdecimal() and len(words) < 4 else None
