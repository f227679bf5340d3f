"""Counts of what waits for people in a bureau, up to a limit: cheap enough for every page."""

from functools import cache
from typing import NamedTuple
from uuid import UUID

from django.db.models import Exists, IntegerField, OuterRef, Subquery

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.master_data import Material
from apps.erp.printing.domain.figures import waiting_printers
from core.api.lists.union_queries import Sql, ask, compiled

_ANY = UUID(int=0)
LIMIT = 100  # beyond it nothing is counted: 100 means 100 or more
_Status = LineItem.Status
# One with pieces in a run may have others that are in none, such as those made anew.
IN_WORK = (
    _Status.CONFIRMED,
    _Status.QUEUED,
    _Status.PRINTING,
    _Status.POST_PROCESSING,
    _Status.SHIPPING,
)


class OpenCounts(NamedTuple):
    """What waits for people, each at most LIMIT.

    line_items : confirmed, with pieces that are in no run
    printers   : whose print or bed waits for a person
    orders     : new ones, to review, quote or confirm
    materials  : of which less than the reorder point is left
    """

    line_items: int
    printers: int
    orders: int
    materials: int


def open_counts(bureau: Bureau) -> OpenCounts:
    """Count what waits for people in a bureau."""
    values = (bureau.pk if value == _ANY else value for value in _statement().values)
    return OpenCounts(*ask(_statement()._replace(values=tuple(values)))[0])


@cache
def _statement() -> Sql:
    """Return the statement for the bureau `_ANY`: to compile it takes longer than to execute it."""
    bureau = Bureau(pk=_ANY)
    unscheduled = Piece.objects.filter(line_item=OuterRef("pk"), status=Piece.Status.CREATED)
    items = LineItem.objects.filter(Exists(unscheduled), bureau=bureau, status__in=IN_WORK)
    orders = Order.objects.filter(bureau=bureau, status=Order.Status.NEW)
    low = Material.objects.filter(bureau=bureau, stock_level="low")
    rows = (items, waiting_printers(bureau), orders, low)
    counts = [_CountOf(each.order_by().values("pk")[:LIMIT]) for each in rows]
    return compiled(Bureau.objects.filter(pk=_ANY).values_list(*counts))


class _CountOf(Subquery):
    """The number of rows of a query set."""

    template = "(SELECT count(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()
