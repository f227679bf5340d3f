"""Material that a run takes, by its G-code or its models."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from apps.erp.inventory.domain.material_amounts import Need
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.models.runs import Place, Run
from apps.slicing import interface as slicing
from apps.slicing.interface import GcodeFile
from apps.warehouse import interface as warehouse

MM3_PER_CC = 1000.0


class Needs(NamedTuple):
    """What a run takes.

    source      : gcode, or model where only the volumes of its parts are known
    seconds     : by the slicer alone; filament_mm: the length of it
    """

    of: list[Need]
    source: str
    seconds: float | None = None
    filament_mm: float | None = None


def content_of(run: Run) -> GcodeFile | None:
    """The file that a machine prints it from: its own gcode before that of its slice."""
    uri = run.gcode_uri or run.slice_uri
    return slicing.gcode_file(uri) if uri else None


def needs_of(run: Run, *, without: Iterable[Piece] = ()) -> Needs:
    """What a run takes by its gcode; of several materials, and without gcode, by its models.

    without : pieces that leave it
    """
    file = content_of(run)
    related = (f"piece__line_item__{name}" for name in _MATERIALS)
    places = list(run.places.exclude(piece__in=list(without)).select_related(*related))
    items = [place.piece.line_item for place in places]
    bases = {item.base_material for item in items} or {run.material}
    if file is None:
        return Needs(_of_powder(run, _of_models(places)), "model")
    if file.build_volume_cc is None or len(bases) > 1:
        return Needs(_of_models(places), "model", file.seconds, file.filament_mm)
    (base,) = bases
    support = next((item.support_material for item in items if item.support_material), base)
    parts = ((base, file.build_volume_cc), (support, file.support_volume_cc or 0.0))
    return Needs(_summed(parts), "gcode", file.seconds, file.filament_mm)


_MATERIALS = ("base_material", "support_material")


def _of_models(places: list[Place]) -> list[Need]:
    models = warehouse.get_models_unchecked(
        {str(p.piece.model_uri) for p in places if p.piece.model_uri}
    )
    found = []
    for place in places:
        model = models.get(str(place.piece.model_uri))
        if model is not None and model.volume:
            found.append((place.piece.line_item.base_material, model.volume / MM3_PER_CC))
    return _summed(found)


def _of_powder(run: Run, needs: list[Need]) -> list[Need]:
    """What a build of powder takes that is new: the share that must be, and never less than its
    parts."""
    kind, height = run.printer_type, (run.report or {}).get("height")
    if kind is None or not kind.refresh_ratio or not height or len(needs) != 1:
        return needs
    ((material, cc),) = needs
    if material is None or not material.density or not material.powder_density:
        return needs
    powder = kind.build_x * kind.build_y * height / MM3_PER_CC
    fresh = powder * material.powder_density * kind.refresh_ratio / material.density
    return [Need(material, max(cc, fresh))]


def _summed(parts: Any) -> list[Need]:
    found: dict[Material | None, float] = defaultdict(float)
    for material, cc in parts:
        found[material] += cc
    return [Need(material, cc) for material, cc in found.items() if cc]
