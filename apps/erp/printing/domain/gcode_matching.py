"""Matching of uploaded G-code: to printer types, materials and waiting pieces of a bureau.

By what its slicer states: printer, nozzle, filament and the names of its objects.
"""

import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar
from uuid import UUID

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.domain.unscheduled import Unscheduled, unscheduled
from apps.erp.production.models.runs import Place, Run
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredGcode
from apps.warehouse import interface as warehouse

T = TypeVar("T")

MAX_TYPES = 200  # of a bureau, that are compared
MAX_WAITING = 1000  # line items that are compared
PRIME_MARGIN = 10.0  # mm beside the bed, where printers clean their nozzles
SAME_NOZZLE = 0.011  # mm
_WORD = re.compile(r"[a-z0-9.+]+")
_ENDING = re.compile(r"[._](?:stl|3mf|obj|step|stp|amf|ply)\Z", re.IGNORECASE)


class TypeMatch(NamedTuple):
    """A printer type, why the G-code is not for it, and whether its printer is the stated one."""

    printer_type: PrinterType
    obstacles: list[Obstacle]
    named: bool


class ObjectMatch(NamedTuple):
    """An object of the G-code, its copies, and waiting pieces of the same name.

    ambiguous : whether the pieces are of several line items
    """

    name: str
    copies: int
    pieces: list[UUID]
    ambiguous: bool


@dataclass(frozen=True)
class GcodeNeeds:
    """What the G-code needs of a printer; empty where it does not say."""

    models: frozenset[str]
    preset: str
    nozzles: frozenset[float]
    filament_types: frozenset[str]
    low: tuple[float, float, float] | None
    high: tuple[float, float, float] | None


def needs_of_gcode(gcode: StoredGcode) -> GcodeNeeds:
    """What a processed G-code needs, of the tools that it uses."""
    stated, figures = gcode.metadata or {}, gcode.figures or {}
    tools = [row["tool"] for row in figures.get("tools", [])]
    low, high = figures.get("bounds") or (None, None)
    return GcodeNeeds(
        frozenset(_parts_of(stated.get("printer_model") or "")),
        (stated.get("printer_preset") or "").casefold(),
        frozenset(_of_tools(stated.get("nozzle_diameters") or [], tools)),
        frozenset(each.upper() for each in _of_tools(stated.get("filament_types") or [], tools)),
        low and tuple(low),
        high and tuple(high),
    )


def _of_tools(values: list[T], tools: list[int]) -> list[T]:
    """Of a value for each tool those that are used; one value is that of all."""
    return [values[tool] for tool in tools if tool < len(values)] or values[:1]


def match_types(bureau: Bureau, gcode: StoredGcode) -> list[TypeMatch]:
    """The printer types of a bureau; those that the G-code is for come first."""
    needs = needs_of_gcode(gcode)
    rows = PrinterType.objects.filter(bureau=bureau).order_by("name", "pk")[:MAX_TYPES]
    matches = [TypeMatch(row, *_compared(row, needs)) for row in rows]
    return sorted(matches, key=lambda match: (bool(match.obstacles), not match.named))


def only_type(matches: Iterable[TypeMatch]) -> PrinterType | None:
    """The one printer type that the G-code names and that has nothing against it."""
    named = [match.printer_type for match in matches if match.named and not match.obstacles]
    return named[0] if len(named) == 1 else None


def obstacles_of(printer_type: PrinterType, gcode: StoredGcode) -> list[Obstacle]:
    """Why a printer type cannot print the G-code."""
    return _compared(printer_type, needs_of_gcode(gcode))[0]


def _compared(row: PrinterType, needs: GcodeNeeds) -> tuple[list[Obstacle], bool]:
    obstacles = []
    preset = slicing.preset_machine(row.preset_uri) if row.preset_uri else None
    names = {row.name.casefold(), preset.name.casefold() if preset else ""}
    parts = _parts_of(" ".join(names))
    named = needs.preset in names if needs.preset else False
    named = named or bool(needs.models and needs.models <= parts)
    if needs.models and not named:
        obstacles.append(Obstacle("other-model", "The G-code is for another model of printer."))
    nozzle = preset.nozzle_diameter if preset else None
    others = [each for each in needs.nozzles if nozzle and abs(each - nozzle) > SAME_NOZZLE]
    if others:
        title = f"The G-code is for a nozzle of {others[0]:g} mm, the preset has {nozzle:g} mm."
        obstacles.append(Obstacle("other-nozzle", title))
    if needs.low and needs.high:
        size = [end - start for start, end in zip(needs.low, needs.high, strict=True)]
        size[2] = needs.high[2]
        allowed = (row.build_x + PRIME_MARGIN, row.build_y + PRIME_MARGIN, row.build_z)
        if any(side > limit for side, limit in zip(size, allowed, strict=True)):
            shown = " x ".join(f"{side:.1f}" for side in size)
            title = f"The print takes {shown} mm, more than the build volume."
            obstacles.append(Obstacle("does-not-fit", title))
    return obstacles, named


def match_material(bureau: Bureau, gcode: StoredGcode) -> Material | None:
    """The one material of a bureau that has the filament type which the G-code states."""
    types = needs_of_gcode(gcode).filament_types
    if len(types) != 1:
        return None
    (wanted,) = types
    rows = Material.objects.filter(bureau=bureau, type=Material.Type.BASE)
    materials = list(rows.filter(filament_type__iexact=wanted)[:2])
    materials = materials or list(rows.filter(filament_type="", name__iexact=wanted)[:2])
    return materials[0] if len(materials) == 1 else None


def match_pieces(
    bureau: Bureau, gcode: StoredGcode, printer_type: PrinterType | None
) -> list[ObjectMatch]:
    """The objects of the G-code, with waiting pieces whose part has the same name.

    printer_type : of the step that the pieces wait for; None: any
    """
    waiting = _waiting(bureau, printer_type)
    matches = []
    for row in (gcode.metadata or {}).get("objects", []):
        rows = waiting.get(_plain(row["name"]), [])
        keys = [key for each in rows for key in each["pieces"]][: row["count"]]
        items = {each["line_item"] for each in rows}
        matches.append(ObjectMatch(row["name"], row["count"], keys, len(items) > 1))
    return matches


def _waiting(bureau: Bureau, printer_type: PrinterType | None) -> dict[str, list[Unscheduled]]:
    """Rows of unscheduled pieces that wait for printing, by the plain names of their parts."""
    rows = [row for row in unscheduled(bureau, limit=MAX_WAITING) if _is_printed(row, printer_type)]
    items = LineItem.objects.filter(
        pk__in=[row["line_item"] for row in rows], status__in=LineItem.PRINTABLE
    )
    models = dict(items.values_list("pk", "model_uri"))
    stored = warehouse.get_models_unchecked({uri for uri in models.values() if uri})
    by_name: dict[str, list[Unscheduled]] = {}
    for row in rows:
        if row["line_item"] not in models:
            continue
        model = stored.get(models[row["line_item"]] or "")
        for name in _names_of(row["name"], model):
            by_name.setdefault(name, []).append(row)
    return by_name


def _names_of(item: str, model: warehouse.StoredModel | None) -> set[str]:
    """The plain names of a part: of its line item, and of its model."""
    return {_plain(item), _plain(model.name if model else "")} - {""}


def label_places(run: Run, gcode: StoredGcode) -> None:
    """Store the label of each piece: of an object of its name, each label once, in order."""
    free: dict[str, deque[dict[str, object]]] = {}
    for row in (gcode.metadata or {}).get("objects", []):
        free.setdefault(_plain(row["name"]), deque()).extend(row.get("labels", []))
    places = list(run.places.select_related("piece__line_item").order_by("position", "pk"))
    models = {str(place.piece.model_uri) for place in places if place.piece.model_uri}
    stored = warehouse.get_models_unchecked(models)
    for place in places:
        names = _names_of(place.piece.line_item.name, stored.get(str(place.piece.model_uri)))
        labels = next((free[name] for name in sorted(names) if free.get(name)), None)
        place.label = {"gcode": gcode.uri, **labels.popleft()} if labels else None
    Place.objects.bulk_update(places, ["label"])


def _is_printed(row: Unscheduled, printer_type: PrinterType | None) -> bool:
    if row["hold"]:
        return False
    if row["step"] is None:
        return True
    if printer_type is None:
        return row["printer_type"] is not None
    return bool(row["printer_type"] == printer_type.pk)


def pieces_with(keys: Iterable[UUID]) -> list[Piece]:
    """The pieces of these keys, in their order."""
    rows = Piece.objects.in_bulk(list(keys))
    return [rows[key] for key in keys if key in rows]


def _plain(name: str) -> str:
    """A part's name without the ending of its file, in lower case, letters and digits alone."""
    return "".join(sign for sign in _ENDING.sub("", name.strip()).casefold() if sign.isalnum())


def _parts_of(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
