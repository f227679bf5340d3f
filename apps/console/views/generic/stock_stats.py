"""Key figures above the list of lots: stock, value, use, materials to reorder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.console.domain.stats import Stat, rounded_money
from apps.console.views.base.names import Names
from apps.console.views.base.page import PageContext

if TYPE_CHECKING:
    from manufacturing.generated.erp import StockFigures, UnitFigures

LARGER = {"g": "kg", "ml": "l"}  # of a thousand
DAYS = 30  # of which the use is known
MAX_NAMES = 3


def stock_stats(visit: PageContext) -> list[Stat]:
    """The inventory of the visitor's shop; nothing while no lot is counted."""
    if not visit.shop:
        return []
    figures: StockFigures = visit.api.get(f"{visit.shop['uri']}stock-figures/")
    units = figures["units"]
    if not units:
        return []
    stats = [_left(unit) for unit in units]
    if figures["value"]:
        value = rounded_money(figures["value"], figures["currency"])
        stats.append(Stat(_("Stock value"), value, _("of lots whose price is known")))
    low = figures["low_materials"]
    names = Names(visit)
    names.load(low[:MAX_NAMES])
    shown = [names.text(uri) for uri in low[:MAX_NAMES]]
    more = ["…"] if len(low) > len(shown) else []
    stats.append(Stat(_("Below reorder point"), str(len(low)), ", ".join(shown + more), "down"))
    if used := [unit for unit in units if unit["used"]]:
        stats.append(_use(used))
    return stats


def _left(unit: UnitFigures) -> Stat:
    label = _("Stock by weight") if unit["unit"] == "g" else _("Stock by volume")
    reserved = _("%(amount)s reserved") % {"amount": _amount(unit["reserved"], unit["unit"])}
    return Stat(label, _amount(unit["remaining"], unit["unit"]), reserved)


def _use(units: list[UnitFigures]) -> Stat:
    """What was used, and how long what is left lasts at that: by the unit that ends first."""
    days = round(min(max(unit["remaining"], 0) / unit["used"] for unit in units) * DAYS)
    text = ngettext("about %(n)s day of stock left", "about %(n)s days of stock left", days)
    amounts = " · ".join(_amount(unit["used"], unit["unit"]) for unit in units)
    return Stat(_("Use, last 30 days"), amounts, text % {"n": number_format(days)})


def _amount(amount: float, unit: str) -> str:
    """An amount of a material, in the larger unit from a thousand on."""
    if abs(amount) < 1000:
        return f"{number_format(amount, 0)} {unit}"
    return f"{number_format(amount / 1000, 1, force_grouping=True)} {LARGER[unit]}"
