"""Installed profiles of Cura: nozzles, qualities and intents of machines, and materials.

Profiles are instance files (`.inst.cfg`), materials are XML (`.xml.fdm_material`), whose settings
have names of their own.
"""

import json
import re
from collections.abc import Iterator, Mapping
from configparser import ConfigParser, Error
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder

from geometry.formats.threemf.xml import XmlParser
from input_errors import InputError

FOLDER = "profiles"  # beside the definitions of the engine's version
ENDING, OF_MATERIALS = ".inst.cfg", ".xml.fdm_material"
PRODUCTS = "product_to_id.json"
MAX_BYTES = 1_000_000  # of a file
_DEFINITION = re.compile(rb"^definition\s*=\s*(\S+)", re.MULTILINE)
_SIGNS = re.compile(r"[^a-z0-9]+")
# Settings of materials by their names in the files of materials, as Cura reads them.
SETTINGS = {
    "print temperature": "default_material_print_temperature",
    "heated bed temperature": "default_material_bed_temperature",
    "standby temperature": "material_standby_temperature",
    "processing temperature graph": "material_flow_temp_graph",
    "print cooling": "cool_fan_speed",
    "retraction amount": "retraction_amount",
    "retraction speed": "retraction_speed",
    "adhesion tendency": "material_adhesion_tendency",
    "surface energy": "material_surface_energy",
    "build volume temperature": "build_volume_temperature",
    "anti ooze retract position": "material_anti_ooze_retracted_position",
    "anti ooze retract speed": "material_anti_ooze_retraction_speed",
    "break preparation position": "material_break_preparation_retracted_position",
    "break preparation speed": "material_break_preparation_speed",
    "break preparation temperature": "material_break_preparation_temperature",
    "break position": "material_break_retracted_position",
    "break speed": "material_break_speed",
    "break temperature": "material_break_temperature",
}


class InstalledProfile(NamedTuple):
    """A nozzle, a quality or an intent.

    kind     : variant, quality or intent
    variant  : name of the nozzle that it is for; material: its identifier; empty for any
    is_global: of the machine, where others are of an extruder
    values   : setting -> value; one that begins with `=` is an expression
    """

    kind: str
    name: str
    quality: str
    variant: str
    material: str
    intent: str
    is_global: bool
    is_nozzle: bool
    values: dict[str, str]


class CuraMaterial(NamedTuple):
    """A material.

    identifier : such as generic_pla_175
    brand      : empty where it is unknown
    kind       : such as PLA
    values     : of settings, for any machine
    machines   : further values by identifiers of machines; hotends: by these and names of nozzles
    unfit      : machines, or machines and nozzles, that it is not for
    """

    identifier: str
    name: str
    brand: str
    kind: str
    guid: str
    diameter: float
    values: dict[str, str]
    machines: dict[str, dict[str, str]]
    hotends: dict[tuple[str, str], dict[str, str]]
    unfit: frozenset[tuple[str, str]]

    def values_for(self, machine: str, nozzle: str) -> dict[str, str]:
        """Its values on a machine with a nozzle."""
        of_machine = self.values | self.machines.get(machine, {})
        return of_machine | self.hotends.get((machine, nozzle), {})

    def fits(self, machine: str, nozzle: str) -> bool:
        """Whether it may be printed on a machine with a nozzle."""
        return not {(machine, ""), (machine, nozzle)} & self.unfit


def state_of(folder: Path) -> int:
    """The time at which a folder of profiles was put there; 0 without one."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=64)
def profiles_of(folder: Path, definition: str, state: int) -> tuple[InstalledProfile, ...]:
    """The profiles whose definition this is, by the names of their files.

    state : `state_of` the folder
    """
    paths = _paths(folder, state).get(definition, ())
    return tuple(profile for path in paths if (profile := _profile(path)))


@lru_cache(maxsize=2)
def _paths(folder: Path, _state: int) -> dict[str, list[Path]]:
    """The files of profiles by their definitions."""
    paths: dict[str, list[Path]] = {}
    for path in sorted(folder.glob(f"*{ENDING}")):
        if match := _DEFINITION.search(_content(path)):
            paths.setdefault(match[1].decode(errors="replace"), []).append(path)
    return paths


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return b""


def _profile(path: Path) -> InstalledProfile | None:
    """The profile in a file; None where that is damaged, which leaves the others."""
    parser = ConfigParser(interpolation=None, strict=False, default_section="")
    try:
        parser.read_string(_content(path).decode())
        about = parser["metadata"]
        return InstalledProfile(
            about["type"],
            parser["general"]["name"],
            about.get("quality_type", ""),
            about.get("variant", ""),
            about.get("material", ""),
            about.get("intent_category", ""),
            about.get("global_quality", "").casefold() == "true",
            about.get("hardware_type", "") == "nozzle",
            dict(parser["values"]) if "values" in parser else {},
        )
    except (Error, KeyError, ValueError):
        return None


@lru_cache(maxsize=2)
def materials(folder: Path, _state: int) -> dict[str, CuraMaterial]:
    """All materials by their identifiers."""
    products = _products(folder)
    rows = {}
    for path in sorted(folder.glob(f"*{OF_MATERIALS}")):
        identifier = path.name.removesuffix(OF_MATERIALS)
        try:
            rows[identifier] = _material(identifier, _content(path), products)
        except (InputError, ValueError, AttributeError):
            continue
    return rows


def _products(folder: Path) -> dict[str, str]:
    """Identifiers of machines by the names of products, as files of materials have these."""
    try:
        stored = json.loads(_content(folder / PRODUCTS))
    except ValueError:
        return {}
    return {str(name): str(identifier) for name, identifier in stored.items()}


def _material(identifier: str, content: bytes, products: Mapping[str, str]) -> CuraMaterial:
    root = _tree(identifier, content)
    machines: dict[str, dict[str, str]] = {}
    hotends: dict[tuple[str, str], dict[str, str]] = {}
    unfit = set()
    for block in root.findall("settings/machine"):
        names = [_identifier(each, products) for each in block.findall("machine_identifier")]
        for machine in names:
            machines.setdefault(machine, {}).update(_values(block))
            if _is_unfit(block):
                unfit.add((machine, ""))
            for hotend in block.findall("hotend"):
                key = machine, hotend.get("id", "")
                hotends.setdefault(key, {}).update(_values(hotend))
                if _is_unfit(hotend):
                    unfit.add(key)
    brand, kind = (
        root.findtext(f"metadata/name/{part}", "").strip() for part in ("brand", "material")
    )
    diameter = float(root.findtext("properties/diameter", "0"))
    values = {"material_diameter": f"{diameter:g}", **_values(root.find("settings"))}
    return CuraMaterial(
        identifier,
        root.findtext("metadata/name/label", "").strip() or f"{brand} {kind}".strip(),
        brand,
        kind,
        root.findtext("metadata/GUID", "").strip(),
        diameter,
        values,
        machines,
        hotends,
        frozenset(unfit),
    )


def _tree(name: str, content: bytes) -> Element:
    builder = TreeBuilder()
    parser = XmlParser(name, content)
    parser.listen(builder.data)
    parser.parse(builder.start, builder.end)
    return builder.close()


def _identifier(element: Element, products: Mapping[str, str]) -> str:
    product = element.get("product", "")
    return products.get(product) or _SIGNS.sub("_", product.lower().replace("+", "_plus")).strip(
        "_"
    )


def _is_unfit(block: Element) -> bool:
    keys = {each.get("key"): (each.text or "").strip() for each in block.findall("setting")}
    return keys.get("hardware compatible") in ("no", "unknown")


def _values(block: Element | None) -> dict[str, str]:
    return dict(_settings(block)) if block is not None else {}


def _settings(block: Element) -> Iterator[tuple[str, str]]:
    for element in block:
        key, value = element.get("key", ""), (element.text or "").strip()
        if element.tag == "setting" and key == "processing temperature graph":
            points = [
                f"[{point.get('flow')}, {point.get('temperature')}]"
                for point in element.findall("point")
            ]
            yield SETTINGS[key], f"[{', '.join(points)}]"
        elif element.tag == "setting" and key in SETTINGS and value:
            yield SETTINGS[key], value
        elif element.tag == "cura:setting" and key and value:
            yield key, value
