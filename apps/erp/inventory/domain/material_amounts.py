"""Amounts of material: from cm3 to the unit in which a lot is counted."""

from typing import NamedTuple

from apps.erp.base.model_fields import MAX_AMOUNT, THOUSANDTHS
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.master_data import Material


class Need(NamedTuple):
    """How much of a material a run takes, cm3; None where nobody says of what it is made."""

    material: Material | None
    cc: float


def amount_of(need: Need, unit: str, part: float = 1.0) -> int | None:
    """So much of it in thousandths of g or ml; None where the density is not known.

    At most as much as any lot can hold: more than that is as much out of reach.
    """
    density = 1.0 if unit == Stock.Unit.MILLILITRE else need.material and need.material.density
    return round(min(need.cc * part * density * THOUSANDTHS, MAX_AMOUNT)) if density else None
