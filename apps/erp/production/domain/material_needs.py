"""Material that a run takes, by its G-code or its models."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

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
    return contents_of([run]).get(run.pk)


def contents_of(runs: Iterable[Run]) -> dict[UUID, GcodeFile]:
    """As `content_of`, by the keys of runs, without those that have none."""
    uris = {run.pk: run.gcode_uri or run.slice_uri or "" for run in runs}
    files = slicing.gcode_files(filter(None, uris.values()))
    return {key: files[uri] for key, uri in uris.items() if uri in files}


def needs_of(run: Run, *, without: Iterable[Piece] = ()) -> Needs:
    """What a run takes by its gcode; of several materials, and without gcode, by its models.

    without : pieces that leave it
    """
    return needs_of_runs([run], without=without)[run.pk]


def needs_of_runs(
    runs: Collection[Run],
    files: Mapping[UUID, GcodeFile] | None = None,
    *,
    without: Iterable[Piece] = (),
) -> dict[UUID, Needs]:
    """As `needs_of`, by the keys of runs.

    files : of `contents_of`, where they are there already
    """
    files = contents_of(runs) if files is None else files
    places = _places_of(runs, without)
    without_figures = [run for run in runs if not _has_figures(files.get(run.pk), places[run.pk])]
    models = warehouse.get_models_unchecked(
        str(place.piece.model_uri)
        for run in without_figures
        for place in places[run.pk]
        if place.piece.model_uri
    )
    return {run.pk: _needs(run, files.get(run.pk), places[run.pk], models) for run in runs}


def _places_of(runs: Iterable[Run], without: Iterable[Piece]) -> dict[UUID, list[Place]]:
    related = (f"piece__line_item__{name}" for name in _MATERIALS)
    places: dict[UUID, list[Place]] = defaultdict(list)
    rows = Place.objects.filter(run__in=[run.pk for run in runs])
    for place in rows.exclude(piece__in=list(without)).select_related(*related).order_by("pk"):
        places[place.run_id].append(place)
    return places


def _has_figures(file: GcodeFile | None, places: Iterable[Place]) -> bool:
    """Whether the file says how much of the only base material the pieces take."""
    bases = {place.piece.line_item.base_material_id for place in places}
    return file is not None and file.build_volume_cc is not None and len(bases) <= 1


def _needs(
    run: Run,
    file: GcodeFile | None,
    places: Sequence[Place],
    models: Mapping[str, warehouse.StoredModel],
) -> Needs:
    if file is None:
        return Needs(_of_powder(run, _of_models(places, models)), "model")
    if not _has_figures(file, places):
        return Needs(_of_models(places, models), "model", file.seconds, file.filament_mm)
    items = [place.piece.line_item for place in places]
    base = items[0].base_material if items else run.material
    support = next((item.support_material for item in items if item.support_material), base)
    parts = ((base, file.build_volume_cc), (support, file.support_volume_cc or 0.0))
    return Needs(_summed(parts), "gcode", file.seconds, file.filament_mm)


_MATERIALS = ("base_material", "support_material")


def _of_models(places: Iterable[Place], models: Mapping[str, warehouse.StoredModel]) -> list[Need]:
    volumes = []
    for place in places:
        model = models.get(str(place.piece.model_uri))
        if model is not None and model.volume:
            volumes.append((place.piece.line_item.base_material, model.volume / MM3_PER_CC))
    return _summed(volumes)


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
