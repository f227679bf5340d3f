"""Part labels and order travellers."""

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import segno
from django.db.models import QuerySet
from django.utils.safestring import SafeString, mark_safe

from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.domain.finishing import finishes_of
from apps.erp.production.models.runs import Place, Run
from apps.warehouse import interface as warehouse
from core.uris import base_url

# Lines of the label, mm: where the first one stands, how far it is to the next, and characters.
_ORDER_TOP, _ORDER_STEP, _ORDER_WIDTH = 38.0, 5.5, 20
_TOP, _STEP, _WIDTH = 50.0, 4.6, 28

# What `next_step_of` reads beside a piece.
STEP = ("step__printer_type", "step__post_processor_type", "step__shipping")


@dataclass(frozen=True)
class Line:
    """A line of text; y from the top of the label, mm."""

    text: str
    y: float


@dataclass(frozen=True)
class Label:
    """Content of a label; `qr` leads to the piece's page, `place` is its position in its run."""

    uri: str
    key: str
    qr: SafeString
    picture: str | None
    order: list[Line]
    lines: list[Line]
    number: int
    quantity: int
    place: str


def of_order(order: Order) -> QuerySet[Piece]:
    """The pieces that an order's labels are for: those that are made or to be made."""
    gone = (Piece.Status.CANCELLED, Piece.Status.ERROR)
    pieces = Piece.objects.filter(line_item__order=order).exclude(status__in=gone)
    return pieces.order_by("line_item_id", "number")


def of_run(run: Run) -> QuerySet[Piece]:
    """The pieces of a run, in the order in which they come out."""
    return Piece.objects.filter(places__run=run).order_by("places__position", "pk")


def labels_of(pieces: QuerySet[Piece], *, run: Run | None = None) -> list[Label]:
    """A label a piece; within a run it says when the piece comes out of it."""
    read = pieces.select_related("line_item__order", "line_item__base_material", *STEP)
    rows = list(read.prefetch_related("line_item__workflow__steps__post_processor_type"))
    models = {row.pk: row.model_uri or row.line_item.model_uri for row in rows}  # type: ignore[attr-defined]
    pictures = warehouse.pictures_of({uri for uri in models.values() if uri})
    places = _places(rows, run) if run else {}
    return [_label(row, pictures.get(models[row.pk] or ""), places.get(row.pk, "")) for row in rows]


def _places(rows: Iterable[Piece], run: Run) -> dict[Any, str]:
    found = Place.objects.filter(run=run)
    count = found.count()
    positions = found.filter(piece__in=rows).values_list("piece", "position")
    return {key: f"{position + 1} of {count}" for key, position in positions}


def _label(piece: Piece, picture: str | None, place: str) -> Label:
    item: Any = piece.line_item
    order = item.order
    material = [item.base_material] if item.base_material else []
    made_of = ", ".join(each.name for each in (*material, *finishes_of(item.workflow)))
    texts = [
        *_wrapped(order.customer_name if order else "", _WIDTH, 1),
        *_wrapped(f"Ref. {order.customer_po}" if order and order.customer_po else "", _WIDTH, 1),
        *_wrapped(item.name, _WIDTH, 2),
        *_wrapped(made_of, _WIDTH, 1),
        *_wrapped(next_step_of(piece), _WIDTH, 2),
    ]
    names = _wrapped(order.name if order else "", _ORDER_WIDTH, 2)
    return Label(
        uri=piece.uri,
        key=str(piece.pk),
        # Of segno's own making, out of a URL of ours.
        qr=mark_safe(segno.make_qr(page_of(piece), error="m").svg_inline(omitsize=True)),  # noqa: S308
        picture=picture,
        order=_stacked(names, _ORDER_TOP, _ORDER_STEP),
        lines=_stacked(texts, _TOP, _STEP),
        number=piece.number,
        quantity=item.quantity,
        place=place,
    )


def page_of(piece: Piece) -> str:
    """Return the URL of the piece's page in the console, on the bare domain."""
    return f"{base_url('')}/piece/{piece.pk}/"


def next_step_of(piece: Piece) -> str:
    """What is to be done with it next, or its status where that is nothing."""
    step: Any = piece.step
    if step is None or piece.status == Piece.Status.COMPLETE:
        return str(piece.status)
    process = step.printer_type or step.post_processor_type or step.shipping
    return f"{step.step_position}. {process.name}"


def _wrapped(text: str, width: int, most: int) -> list[str]:
    """The text in at most so many lines, without characters that cannot be printed."""
    printable = "".join(sign if sign.isprintable() else " " for sign in text)
    return textwrap.wrap(printable, width, max_lines=most, placeholder="…")


def _stacked(texts: list[str], top: float, step: float) -> list[Line]:
    return [Line(text, round(top + at * step, 2)) for at, text in enumerate(texts)]
