"""Material shortages: demand of runs and confirmed items against free stock."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import Count, F, Q, Sum

from apps.erp.base.model_fields import THOUSANDTHS
from apps.erp.base.models.bureaus import Bureau
from apps.erp.inventory.domain.lots import counted, units_of, usable
from apps.erp.inventory.domain.material_amounts import Need, amount_of
from apps.erp.inventory.models.movements import Reservation
from apps.erp.orders.domain.response_types import EstimatesAnswer, PieceEstimateAnswer, TermAnswer
from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.models.master_data import Material

_Item = LineItem.Status
# Line items of which pieces may wait for a run.
_CONFIRMED = (_Item.CONFIRMED, _Item.QUEUED, _Item.PRINTING)
_WAITING = Q(pieces__status="created") & (
    Q(pieces__step=None) | Q(pieces__step__printer_type__isnull=False)
)


@dataclass
class Supply:
    """What there is of a material in a bureau, and who needs it, in thousandths of its unit.

    free   : what no run has set aside, of lots that have not expired
    needed : by these runs beyond what they have set aside, and by pieces of these line items
    """

    material: Material
    unit: str
    free: int = 0
    needed: int = 0
    runs: list[UUID] = field(default_factory=list)
    line_items: list[UUID] = field(default_factory=list)

    @property
    def missing(self) -> int:
        """What has to be bought."""
        return max(self.needed - self.free, 0)

    @property
    def spare(self) -> int:
        """What is left when all who need it have theirs."""
        return max(self.free - self.needed, 0)


def shortages_of(bureau: Bureau) -> list[Supply]:
    """The materials of a bureau of which something is missing."""
    materials = Material.objects.filter(pk__in=counted().filter(bureau=bureau).values("material"))
    found = supplies_of(materials.order_by("name", "pk")).values()
    return [supply for supply in found if supply.missing]


def supplies_of(materials: Iterable[Material]) -> dict[UUID, Supply]:
    """What there is of those of these materials that are counted, by their keys."""
    by_key = {material.pk: material for material in materials}
    units = units_of(by_key.values())
    found = {key: Supply(material, units[key]) for key, material in by_key.items() if key in units}
    _add_free(found)
    _add_runs(found)
    _add_waiting(found)
    return found


def _add_free(found: dict[UUID, Supply]) -> None:
    lots = usable().filter(material__in=found, remaining__gt=F("reserved"))
    spare = Sum(F("remaining") - F("reserved"))
    rows = lots.order_by().values("material", "unit").annotate(spare=spare)
    for key, unit, amount in rows.values_list("material", "unit", "spare"):
        if unit == found[key].unit:
            found[key].free = amount


def _add_runs(found: dict[UUID, Supply]) -> None:
    rows = Reservation.objects.filter(material__in=found, stock=None).order_by("pk")
    for material, run, amount in rows.values_list("material", "run", "amount"):
        found[material].needed += amount
        found[material].runs.append(run)


def _add_waiting(found: dict[UUID, Supply]) -> None:
    items = LineItem.objects.filter(base_material__in=found, status__in=_CONFIRMED)
    waiting = items.annotate(count=Count("pieces", filter=_WAITING)).filter(count__gt=0)
    for item in waiting.order_by("pk"):
        supply = found[item.base_material_id]  # type: ignore[index]  # as it was asked for
        amount = _amount((item.estimates or {}).get("per_piece"), supply)
        if amount:
            supply.needed += amount * item.count
            supply.line_items.append(item.pk)


def _amount(estimates: EstimatesAnswer | PieceEstimateAnswer | None, supply: Supply) -> int | None:
    """What a line item, or one of its pieces, takes of its material by its estimates."""
    cc = estimates["material"] if estimates else None
    return None if cc is None else amount_of(Need(supply.material, cc), supply.unit)


# ---------------------------------------------------------------- before confirming


def terms_of(items: Iterable[LineItem]) -> dict[UUID, TermAnswer]:
    """What is missing for each of these line items that waits to be confirmed, as a term.

    It costs nothing by itself, and keeps nobody from confirming.
    """
    pending = [row for row in items if row.status == _Item.PENDING and row.base_material_id]
    if not pending:
        return {}
    supplies = supplies_of(
        Material.objects.filter(pk__in={row.base_material_id for row in pending})
    )
    found = {}
    for row in pending:
        supply = supplies.get(row.base_material_id)  # type: ignore[arg-type]
        amount = _amount(row.estimates, supply) if supply else None
        if supply and amount and amount > supply.spare:
            found[row.pk] = _term(supply, amount)
    return found


def _term(supply: Supply, amount: int) -> TermAnswer:
    needed, spare, unit = amount / THOUSANDTHS, supply.spare / THOUSANDTHS, supply.unit
    return {
        "name": "shortage",
        "quantity": (amount - supply.spare) / THOUSANDTHS,
        "unit": unit,
        "price": 0.0,
        "factor": 1.0,
        "amount": 0.0,
        "reason": f"{needed:g} {unit} of {supply.material} are needed, and of what there is "
        f"{spare:g} {unit} are not needed by others.",
        "source": supply.material.uri,
    }
