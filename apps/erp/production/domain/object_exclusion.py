"""Exclusion of objects from a running print: their labels in the G-code, and what prevents it."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias, TypedDict
from zlib import crc32

from apps.erp.organisation.models.equipment import Printer
from apps.erp.production.domain.obstacles import Obstacle
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Place, Run
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredGcode
from machines.drivers import EXCLUSION_FIRMWARE, ObjectLabel

ExclusionWord: TypeAlias = Literal["skipped", "asked", "cannot"]


NUMBERS = 1_000_000  # in the names of objects: agents accept six digits


class StatedLabel(TypedDict):
    """A label as the metadata of G-code has it; center: x and y on the bed, mm."""

    name: str
    number: int
    firmware: str
    center: list[float] | None


class PrintedObject(NamedTuple):
    """An object of a print, and whether the machine can exclude it.

    place   : of its piece; None for an object of uploaded G-code that makes no piece of the run
    label   : in the G-code; None where that has none
    title   : name by which the G-code labels it; empty without a label
    center  : x and y on the bed, mm; None where the G-code does not state it
    skipped : whether it was excluded; how: the result, None as long as there is none
    """

    place: Place | None
    label: ObjectLabel | None
    title: str
    center: tuple[float, float] | None
    skipped: bool
    how: ExclusionWord | None
    obstacle: Obstacle | None


def labels_of_run(run: Run) -> dict[str, ObjectLabel]:
    """The labels of the pieces in the G-code that a run prints, by the URIs of the pieces."""
    if run.gcode_uri:
        places = run.places.filter(label__gcode=run.gcode_uri).select_related("piece")
        return {place.piece.uri: _label_of(place) for place in places}
    return slicing.labels_of(run.slice_uri) if run.slice_uri else {}


def _label_of(place: Place) -> ObjectLabel:
    """The label of another slicer; its name in the print is one that any agent accepts."""
    stored = place.label or {}
    name = f"p_{place.position + 1}_{place.piece_id.hex[-8:]}"
    label = stored["name"] if stored["firmware"] == "klipper" else ""
    return ObjectLabel(name, stored["number"], stored["firmware"], label)


def obstacle_of(label: ObjectLabel | None, printer: Printer) -> Obstacle | None:
    """Why the machine of a printer cannot exclude an object; None where it can."""
    if not printer.driven:
        title = f"{printer.name} is operated by hand: exclude the object at the printer."
        return Obstacle("manual-printer", title)
    firmware = EXCLUSION_FIRMWARE.get(printer.driver or "", frozenset())
    if not firmware:
        title = "The printer's host cannot exclude objects: exclude the object at the printer."
        return Obstacle("not-supported", title)
    if label is None:
        title = (
            "The G-code has no firmware label for the piece: switch on object labels for the "
            "firmware in the slicer."
        )
        return Obstacle("no-labels", title)
    if label.firmware not in firmware:
        title = f"The labels in the G-code are for {label.firmware}, the printer runs Klipper."
        return Obstacle("other-firmware", title)
    return None


def other_labels(run: Run) -> list[tuple[ObjectLabel, str, tuple[float, float] | None]]:
    """The labels in uploaded G-code that belong to no piece of its run, with title and centre."""
    gcode = slicing.get_gcode_unchecked(run.gcode_uri) if run.gcode_uri else None
    if gcode is None:
        return []
    places = run.places.filter(label__gcode=gcode.uri).values_list("label", flat=True)
    used = {(label["firmware"], label["number"]) for label in places if label}
    return [
        (_label_without_piece(row), row["name"], _center(row.get("center")))
        for row in _stated(gcode)
        if (row["firmware"], row["number"]) not in used
    ]


def _stated(gcode: StoredGcode) -> Iterator[StatedLabel]:
    for row in (gcode.metadata or {}).get("objects", []):
        yield from row.get("labels", [])


def _label_without_piece(row: StatedLabel) -> ObjectLabel:
    """The label of an object; its name in the print is one that any agent accepts."""
    number, firmware = row["number"], row["firmware"]
    checksum = crc32(f"{firmware} {number} {row['name']}".encode())
    name = f"p_{(number + 1) % NUMBERS}_{checksum:08x}"
    return ObjectLabel(name, number, firmware, row["name"] if firmware == "klipper" else "")


def _center(center: list[float] | None) -> tuple[float, float] | None:
    return (center[0], center[1]) if center else None


def printed_objects(attempt: Attempt) -> list[PrintedObject]:
    """The pieces of an attempt in unpacking order, then the labelled objects without a piece."""
    return [*_printed_pieces(attempt), *_other_objects(attempt)]


def _printed_pieces(attempt: Attempt) -> Iterator[PrintedObject]:
    labels = labels_of_run(attempt.run)
    skips: dict[str, ExclusionWord | None] = {one["piece"]: one["how"] for one in attempt.skips}
    places = attempt.run.places.select_related("piece__line_item").order_by("position", "pk")
    for place in places:
        uri, label = place.piece.uri, labels.get(place.piece.uri)
        stated = (place.label or {}) if label else {}
        yield PrintedObject(
            place,
            label,
            stated.get("name") or (label.name if label else ""),
            _center(stated.get("center")),
            uri in skips,
            skips.get(uri),
            obstacle_of(label, attempt.printer),
        )


def _other_objects(attempt: Attempt) -> Iterator[PrintedObject]:
    skips: dict[str, ExclusionWord | None] = {
        one["name"]: one["how"] for one in attempt.skips if one["piece"] is None
    }
    for label, title, center in other_labels(attempt.run):
        how, obstacle = skips.get(label.name), obstacle_of(label, attempt.printer)
        yield PrintedObject(None, label, title, center, label.name in skips, how, obstacle)
