"""Job: pack a run."""

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import dramatiq
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from apps.erp.base.domain.events import emit_status
from apps.erp.base.models.access import share_model
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.actors.sandboxes import packers
from apps.erp.production.domain import reservations, run_slicing
from apps.erp.production.domain.packing_input import ModelsNotReady, Part, parts_of, request_of
from apps.erp.production.domain.piece_flow import free
from apps.erp.production.jobs.messages import (
    Packed,
    PieceMessage,
    PlacementMessage,
    Search,
)
from apps.erp.production.models.runs import Place, Run
from apps.payment import interface as payment
from apps.slicing.interface import get_slice_unchecked
from apps.warehouse import interface as warehouse
from core.errors import ErrorEntry, ServiceError, error_entry
from core.files import blobs
from core.queue.row_jobs import progress_reporter, row_job
from core.sandbox.sandbox import JobInputError

# How a child ends that took too much: boxes need less.
EXHAUSTED = ("crashed", "memory-limit", "time-limit")
# Where the camera looks: from above, and from a corner.
VIEWS = ((0.0, 0.0, -1.0), (-1.0, 1.0, -0.8))
# The files of a job, in a folder of its own.
STL, THREE_MF, STOP = "packed.stl", "packed.3mf", "stop"


@transaction.atomic
def _fail(run: Run, errors: list[ErrorEntry]) -> None:
    """Nothing can be handed out: the pieces are free again, and nothing is charged."""
    run.move(Run.Status.ERROR, errors=errors, progress=1.0)
    free(run)
    payment.release(source=run.uri)
    emit_status(run)


@row_job(
    "packing",
    of=Run,
    begun_in=[Run.Status.CREATED, Run.Status.CALCULATING],
    related=("bureau", "creator", "printer_type"),
    fail=_fail,
)
def pack_run(run: Run) -> None:
    """Pack a run: created -> calculating -> calculated, or -> error.

    A second delivery of a message whose worker died begins anew: the same seed gives the same.
    """
    if run.status == Run.Status.CREATED:
        _begin(run)
    try:
        _pack(run)
    except (JobInputError, ModelsNotReady) as rejection:
        _fail(run, [error_entry(rejection.code, rejection.title, details=rejection.details)])


@dramatiq.actor(actor_name="picture_packing", queue_name="default")
def render_packing(model_uri: str) -> None:
    """Render an analysed model from two sides where it is a packed run."""
    run = Run.objects.filter(model_uri=model_uri, snapshots=[]).first()
    model = warehouse.get_model_unchecked(model_uri)
    if run is None or model is None or model.status != "processed":
        return
    with transaction.atomic():
        if Run.objects.select_for_update().filter(pk=run.pk, snapshots=[]).exists():
            drawn = [warehouse.add_snapshot(uri=model_uri, direction=view) for view in VIEWS]
            Run.objects.filter(pk=run.pk).update(snapshots=drawn, updated=Now())


@transaction.atomic
def _begin(run: Run) -> None:
    run.move(Run.Status.CALCULATING, progress=0.0)
    emit_status(run)


def _pack(run: Run) -> None:
    places = run.places.select_related("piece__line_item").order_by("position")
    parts = parts_of([place.piece for place in places], _printer_type(run))
    with blobs.scratch_dir() as folder:
        packed = _search(run, parts, folder)
        files = [blobs.store_file(folder / name) for name in (STL, THREE_MF)]
    _keep(run, parts, packed, *files)


def _search(run: Run, parts: list[Part], folder: Path) -> Packed:
    """What the job found; by boxes alone where the premium packer took more than it may."""
    packer = _printer_type(run).build_packer_type
    try:
        return _run_job(run, parts, folder, packer)
    except JobInputError as error:
        if packer == PrinterType.Packer.BOX or error.code not in EXHAUSTED:
            raise
        packed = _run_job(run, parts, folder, PrinterType.Packer.BOX)
        packed["report"]["stopped"] = error.code
        return packed


def _run_job(run: Run, parts: list[Part], folder: Path, packer: str) -> Packed:
    with ExitStack() as stack:
        pieces: list[PieceMessage] = [
            {
                "name": part.model.name,
                "path": stack.enter_context(warehouse.stl_file(str(part.model.sha256))),
                "policy": part.policy,
                "names": part.names,
            }
            for part in parts
        ]
        search: Search = {
            "packer": packer,
            "seed": run.packing["seed"],
            "budget": run.packing["budget"],
            "seconds": settings.PACKING_TIME,
        }
        packed: Packed = packers.run(
            "apps.erp.production.jobs.packing:pack_files",
            **request_of(_printer_type(run), run.packing.get("reach", 0.0)),
            pieces=pieces,
            search=search,
            whole=run.do_build_volume_check,
            title=run.name,
            stl=folder / STL,
            three_mf=folder / THREE_MF,
            stop=folder / STOP,
            folder=folder,
            progress=_hearing(run, folder / STOP),
        )
        return packed


def _printer_type(run: Run) -> PrinterType:
    return run.printer_type  # type: ignore[return-value]  # what prints has one


def _hearing(run: Run, stop: Path) -> Callable[..., None]:
    """A progress function that also hears whether somebody wants what there is by now."""

    def columns(**facts: object) -> dict[str, dict[str, object]]:
        if Run.objects.filter(pk=run.pk, packing__stop=True).exists():
            stop.touch()
        return {"report": facts}

    return progress_reporter(run, columns)


@transaction.atomic
def _keep(
    run: Run,
    parts: list[Part],
    packed: Packed,
    stl: tuple[str, int],
    three_mf: tuple[str, int],
) -> None:
    """Keep a packing that was measured: calculating -> calculated."""
    made_from = list(dict.fromkeys(part.model.uri for part in parts))
    sha256, size = blobs.create_row(*stl), stl[1]
    model = warehouse.add_model(
        owner=run.creator, name=run.name, type="stl", sha256=sha256, size=size, parents=made_from
    )
    share_model(model, bureau=run.bureau, user=run.creator)
    left_out = [(parts[part].pieces[copy], reason) for part, copy, reason in packed["unplaced"]]
    run.move(
        Run.Status.CALCULATED,
        model_uri=model,
        content_3mf_id=blobs.create_row(*three_mf),
        report=_report(packed, parts, left_out),
        progress=1.0,
    )
    _place(run, parts, packed["placements"])
    reservations.reserve(run, without=[piece for piece, _ in left_out])
    if left_out:
        free(run, [piece for piece, _ in left_out])
    payment.record(source=run.uri)
    if _printer_type(run).slice_runs or run.packing.get("automatic"):
        _slice(run)
    emit_status(run)


def _slice(run: Run) -> None:
    """Have it sliced by itself; why not, where it cannot be, is kept with it."""
    try:
        with transaction.atomic():
            run_slicing.begin(run)
    except ServiceError as rejection:
        run.slicing, run.slicing_errors = Run.Slicing.ERROR, rejection.entries()
        run.save(update_fields=["slicing", "slicing_errors", "updated"])


@dramatiq.actor(queue_name="default")
def continue_runs(slice_uri: str) -> None:
    """A slice was begun, or came to its end: the run that waits for it says so."""
    with transaction.atomic():
        waiting = Run.objects.select_for_update(no_key=True, of=("self",)).filter(
            slice_uri=slice_uri, slicing__in=run_slicing.UNDER_WAY
        )
        for run in waiting.select_related("printer_type"):
            run_slicing.follow(run, get_slice_unchecked(slice_uri))


def _place(run: Run, parts: list[Part], placements: list[PlacementMessage]) -> None:
    by_piece = {place.piece_id: place for place in run.places.all()}
    placed = []
    for position, found in enumerate(placements):
        place = by_piece[parts[found["piece"]].pieces[found["copy"]].pk]
        place.position, place.transform = position, found["transform"]
        place.box, place.direction = found["box"], found["direction"] or ""
        placed.append(place)
    Place.objects.bulk_create(
        placed,
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["position", "transform", "box", "direction"],
    )


def _report(
    packed: Packed, parts: list[Part], left_out: list[tuple[Piece, str]]
) -> dict[str, object]:
    """What the job measured, in URIs."""
    order = [parts[found["piece"]].pieces[found["copy"]].uri for found in packed["placements"]]
    notes = [
        f"{part.model.name} is not closed: it is packed by its surface, and the density counts "
        "it only roughly."
        for part in parts
        if part.model.volume is None
    ]
    return {
        **packed["report"],
        "smallest_pair": [order[at] for at in packed["pair"]] if packed["pair"] else None,
        "notes": notes,
        "unplaced": [{"piece": piece.uri, "reason": reason} for piece, reason in left_out],
        "out_order": order,
    }
