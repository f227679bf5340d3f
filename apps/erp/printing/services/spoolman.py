"""Two-way sync of lot amounts with Spoolman.

Spoolman's figure wins wherever it changed since it was last heard: a person weighed the spool, or
a machine counts there. Where it did not, ours is what the agent writes. Figures are compared, not
changes: a word that comes twice, or never, does no harm.
"""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from apps.erp.inventory.domain import lots
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from apps.erp.printing.models.agents import Agent

_Kind, _Source = StockMovement.Kind, StockMovement.Source
NOTE = "Spoolman says so."


@transaction.atomic
def exchange(
    *, agent: Agent, spools: list[dict[str, Any]], writes: bool
) -> Mapping[int, int | None]:
    """Take what Spoolman says of spools; what is to be written there, of each that a lot names.

    spools : {id, left}, `left` in thousandths of a gram, None where Spoolman does not know
    writes : whether the agent may write; if not, every difference is Spoolman's
    """
    amounts = {one["id"]: one["left"] for one in spools}
    linked = Stock.objects.filter(location=agent.location_id, spoolman_id__isnull=False)
    answer: dict[int, int | None] = {}
    for lot in lots.locked(linked.filter(unit=Stock.Unit.GRAM)):
        spool = lot.spoolman_id or 0
        left = amounts.get(spool)
        answer[spool] = None if left is None else _compared(lot, left, agent, writes=writes)
    return answer


def _compared(lot: Stock, left: int, agent: Agent, *, writes: bool) -> int | None:
    """What is to be written of a locked lot, after what Spoolman says was taken."""
    ours = None if lot.remaining is None else max(lot.remaining, 0)
    if ours is not None and writes and left == lot.spoolman_left != ours:
        return ours
    if left != lot.spoolman_left:
        lot.spoolman_left = left
        lot.save(update_fields=["spoolman_left", "updated"])
    difference = left - (lot.remaining or 0)
    if difference and (lot.remaining is not None or left):
        kind = _Kind.RECEIPT if lot.remaining is None else _Kind.CORRECTION
        source = _Source.SPOOLMAN
        lots.book(lot, kind, difference, actor=agent.creator, source=source, notes=NOTE)
    return None
