"""Posts stock movements and corrections."""

from django.db import transaction

from apps.erp.inventory.domain import lots
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import StockMovement
from core.auth_user import Person
from core.errors import Conflict, ServiceError

_Kind = StockMovement.Kind


class NotCounted(Conflict):
    """Nobody has said how much came of the lot."""

    code = "not-counted"


class NothingToCorrect(Conflict):
    """As much is left as the book says."""

    code = "nothing-to-correct"


@transaction.atomic
def create(
    *,
    actor: Person,
    stock: Stock,
    kind: str,
    amount: int | None = None,
    left: int | None = None,
    notes: str = "",
) -> StockMovement:
    """Write into a lot's book what a person knows: what came or went, or what is `left`."""
    (lot,) = lots.locked(Stock.objects.filter(pk=stock.pk))
    if lot.remaining is None and kind != _Kind.RECEIPT:
        words = f"It is not known how much came of {lot.uri}: send a receipt first."
        raise NotCounted(words, field="kind")
    if left is not None:
        amount = _correction(lot, kind, amount, left)
    if amount is None:
        words = "Send the amount, or for a correction what is left."
        raise ServiceError(words, code="missing-parameter", field="amount")
    _require_sign(kind, amount)
    return lots.book(lot, kind, amount, actor=actor, notes=notes)


def _correction(lot: Stock, kind: str, amount: int | None, left: int) -> int:
    """What a lot is corrected by, of which so much is left."""
    if kind != _Kind.CORRECTION or amount is not None or left < 0:
        words = "What is left, 0 or more, is sent for a correction alone, and without an amount."
        raise ServiceError(words, code="property-value-not-in-allowed-values", field="left")
    found = left - (lot.remaining or 0)
    if not found:
        raise NothingToCorrect("As much is left as the book says.", field="left")
    return found


def _require_sign(kind: str, amount: int) -> None:
    if kind in StockMovement.ADDING and amount <= 0:
        words = f"A {kind} adds to the lot: send an amount above 0."
    elif kind in StockMovement.TAKING and amount >= 0:
        words = f"A {kind} takes from the lot: send an amount below 0."
    elif not amount:
        words = "A correction changes what is left: send another amount than 0."
    else:
        return
    raise ServiceError(words, code="property-value-not-in-allowed-values", field="amount")
