"""Slicing of a packed run."""

from collections.abc import Iterable
from typing import Any

from apps.erp.base.domain.events import emit_status
from apps.erp.base.models.access import share_config, share_slice
from apps.erp.orders.domain.prices.cost_terms import config_of_item
from apps.erp.orders.models.orders import LineItem
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.automatic_prints import plan_prints
from apps.erp.organisation.domain.packing_space import room_of
from apps.erp.organisation.domain.presets import config_for
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.domain import reservations
from apps.erp.production.models.runs import Place, Run
from apps.slicing import interface as slicing
from apps.slicing.interface import StoredSlice
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import Conflict, error_entry

_Slicing = Run.Slicing
SLICEABLE = (Run.Status.CALCULATED, Run.Status.QUEUED)
UNDER_WAY = (_Slicing.QUEUED, _Slicing.PROCESSING)
_DIGITS = 8  # of a piece's key, in its name


class NotSliceable(Conflict):
    """The run is in no state in which it can be sliced."""

    code = "illegal-transition"


class PlateNeeded(Conflict):
    """Parts above others cannot be printed by laying down layers from the bed."""

    code = "plate-needed"


class ConfigMissing(Conflict):
    """Nothing says what the run is to be sliced with."""

    code = "config-missing"


def begin(run: Run) -> None:
    """Have a packed run sliced, which the caller has locked.

    Raises what stands above, and what `POST /slice/` is refused with.
    """
    printer_type = _sliceable(run)
    config, settings = _configs_of(run, printer_type)
    if printer_type.engine_uri and not run.config_uri:
        config = slicing.shop_config(
            owner=run.creator, config=config, engine=printer_type.engine_uri, bureau=run.bureau_id
        )
    if run.slicing == _Slicing.PROCESSED and config == _config_of_slice(run):
        raise NotSliceable("The run is sliced with this config already: name another.")
    made = slicing.make_plate_slice(
        owner=run.creator,
        model=str(run.model_uri),
        config=config,
        build=_build_of(run, printer_type, settings),
    )
    share_config(config, bureau=run.bureau, user=run.creator)
    share_slice(made.uri, bureau=run.bureau, user=run.creator)
    run.config_uri, run.slice_uri = config, made.uri
    run.slicing, run.slicing_errors, run.estimates = _Slicing.QUEUED, None, None
    run.save(
        update_fields=[
            "config_uri",
            "slice_uri",
            "slicing",
            "slicing_errors",
            "estimates",
            "updated",
        ]
    )


def follow(run: Run, sliced: StoredSlice | None) -> None:
    """Tell of a run, which the caller has locked, how far its slice is."""
    if run.slicing not in UNDER_WAY or (sliced and sliced.status == run.slicing):
        return
    if sliced is None:
        title = "The slice was deleted before it was done: have the run sliced again."
        run.slicing, run.slicing_errors = _Slicing.ERROR, [error_entry("slice-deleted", title)]
    else:
        run.slicing = sliced.status
        run.slicing_errors = list(sliced.errors) or None
        run.estimates = _estimates(run, sliced) if sliced.status == "processed" else None
    run.save(update_fields=["slicing", "slicing_errors", "estimates", "updated"])
    if run.slicing == _Slicing.PROCESSED and run.status in SLICEABLE:
        reservations.reserve(run)
        plan_prints(run.bureau_id)
    if run.status in Run.NEWS:
        emit_status(run)


def cancel(run: Run) -> None:
    """End the engine that works on a run, which stays as it is packed."""
    if run.slicing not in UNDER_WAY:
        raise NotSliceable(f"No slice is being made of the run: slicing is {run.slicing}.")
    end(run)


def end(run: Run) -> None:
    """End the engine that works on a run nobody wants any more."""
    if run.slice_uri and run.slicing in UNDER_WAY:
        slicing.end_slice(run.slice_uri)


def configs_of(
    printer_type: PrinterType, pieces: Iterable[Piece], *, owner: Person, named: str | None = None
) -> dict[str, str]:
    """The config of each line item of a run, by its URI, for the printer type's bed.

    `line_item__base_material` of each piece is read.

    named : the run's own, that of all; without it each has its own, or the printer type's presets
            or config, with its print options
    """
    pieces = list(pieces)
    items = {piece.line_item.uri: piece.line_item for piece in pieces}
    if named:
        config = config_for(printer_type, None, owner=owner, config=named)
        return dict.fromkeys(items, str(config))
    uris = {piece.line_item.uri: str(piece.model_uri or "") for piece in pieces}
    models = warehouse.get_models_unchecked(uris.values())
    configs: dict[str, str] = {}
    for uri, item in items.items():
        config = config_of_item(item, printer_type, models.get(uris[uri]), owner=owner)
        if config is None:
            raise ConfigMissing(
                "Nothing says what the run is sliced with: set its config, or the preset or the "
                "config of its printer type.",
                field="config",
            )
        configs[uri] = config
    return configs


def _configs_of(run: Run, printer_type: PrinterType) -> tuple[str, dict[str, dict[str, str]]]:
    """The config of a run, and by line item the settings in which its objects differ from it.

    Raises ConfigMissing where they differ in what a plate can have but once.
    """
    places = run.places.select_related("piece__line_item__base_material").order_by("position")
    pieces = [place.piece for place in places]
    if printer_type.preset_uri and not run.config_uri:
        _require_one_material(piece.line_item for piece in pieces)
    configs = configs_of(printer_type, pieces, owner=run.creator, named=run.config_uri)
    first = next(iter(configs.values()))
    settings: dict[str, dict[str, str]] = {}
    for uri, config in configs.items():
        own = slicing.object_settings(of=config, on=first)
        if own is None:
            raise ConfigMissing(
                "The pieces have different configs or layer heights: set the run's config, or make "
                "a run of each.",
                field="config",
                details={"line_items": [uri]},
            )
        settings[uri] = own
    return first, settings


def _require_one_material(items: Iterable[LineItem]) -> None:
    materials = {item.base_material for item in items if not item.config_uri}
    if len(materials) > 1:
        names = ", ".join(sorted(str(material) for material in materials))
        raise ConfigMissing(
            f"The pieces are of several materials, {names}: set the run's config, or make a run "
            "of each.",
            field="config",
        )


def _sliceable(run: Run) -> PrinterType:
    if run.printer_type is None or run.status not in SLICEABLE or not run.model_uri:
        raise NotSliceable(
            f"The run is {run.status}: it can be sliced once it is packed, as long as it is one "
            f"of {', '.join(SLICEABLE)}."
        )
    if run.slicing in UNDER_WAY:
        raise NotSliceable(f"The run's slice is {run.slicing}: wait for its end.")
    if run.printer_type.packing_mode != PrinterType.Packing.PLATE:
        raise PlateNeeded(
            "The run is packed in volume mode, with parts above others: its model and 3MF are "
            "there, and its printer type must pack plates for gcode to be made."
        )
    return run.printer_type


def _build_of(
    run: Run, printer_type: PrinterType, settings: dict[str, dict[str, str]]
) -> slicing.PlateBuild:
    """The pieces of a run and where they stand, as a slice keeps them.

    settings : by line item, those of its objects alone
    """
    placed = run.places.filter(transform__isnull=False).select_related("piece__line_item")
    placed = placed.order_by("position")
    models = slicing.meshes_of({str(place.piece.model_uri) for place in placed})
    return {
        "run": run.uri,
        "build": list(room_of(printer_type, run.packing.get("reach", 0.0)).volume),
        "firmware": printer_type.firmware,
        "pieces": [
            _piece(place, number, models, settings[place.piece.line_item.uri])
            for number, place in enumerate(placed, start=1)
        ],
    }


def _piece(
    place: Place, number: int, models: dict[str, str], settings: dict[str, str]
) -> slicing.PlatePiece:
    """A name that is its own, of letters, digits and `_`, whatever firmware reads it."""
    piece = place.piece
    return {
        "name": f"p_{number}_{piece.pk.hex[-_DIGITS:]}",
        "piece": piece.uri,
        "model": str(piece.model_uri),
        "sha256": models[str(piece.model_uri)],
        "transform": place.transform or [],
        "settings": settings,
    }


def _config_of_slice(run: Run) -> str | None:
    made = slicing.get_slice_unchecked(run.slice_uri) if run.slice_uri else None
    return made.config if made else None


def _estimates(run: Run, sliced: StoredSlice) -> dict[str, object]:
    """What the run takes: the engine's time by the shop's own factor, and what comes beside it."""
    printer_type: Any = run.printer_type
    seconds = sliced.build_time_seconds
    own = printer_type.time_per_run
    return {
        "print_time": None if seconds is None else seconds * printer_type.time_factor + own,
        "material": sliced.build_volume_cc,
        "support_material": sliced.support_volume_cc,
        "sliced_time": seconds,
        "time_factor": printer_type.time_factor,
        "time_per_run": own,
        "layer_height": sliced.layer_height,
        "presets": sliced.presets,
    }
