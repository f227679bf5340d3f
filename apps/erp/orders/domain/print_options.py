"""Print options of a line item: supports, infill and layer height.

What a line item says comes first, then the default of its printer type, then what the config or
the preset says. Orientation is an option of packing, see `packing_space.policy_of`.
"""

from typing import NamedTuple

from apps.erp.orders.domain import shape_metrics
from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.models.equipment import PrinterType
from apps.warehouse.interface import StoredModel
from geometry.printability import SUPPORTED_OVERHANG

PERCENT = r"^(100|[0-9]{1,2})([.][0-9]+)? ?%\Z"  # of infill
THICKEST_LAYER = 5  # mm

_Supports = PrinterType.Supports
# What a line item's text about supports may be, to be understood.
SUPPORTS = {
    "auto": _Supports.AUTO,
    **dict.fromkeys(("on", "true", "yes"), _Supports.ON),
    **dict.fromkeys(("off", "false", "no"), _Supports.OFF),
}


class PrintOptions(NamedTuple):
    """What a part is sliced with; None leaves it to the config or the preset.

    infill       : percent
    layer_height : mm
    """

    supports: bool | None = None
    infill: float | None = None
    layer_height: float | None = None

    @property
    def overrides(self) -> dict[str, float | bool | None]:
        """As curated parameters."""
        return {"support": self.supports, "infill_density": self.infill}


def options_of(row: LineItem, machine: PrinterType, model: StoredModel | None) -> PrintOptions:
    """The options of a line item; those of its printer type count where it names no config."""
    return chosen_options(
        PrintOptions() if row.config_uri else default_options(machine, model),
        model,
        supports=row.support_strategy,
        infill=row.infill_strategy,
        layer_height=row.layer_thickness,
    )


def chosen_options(
    default: PrintOptions,
    model: StoredModel | None,
    *,
    supports: str,
    infill: str,
    layer_height: float | None,
) -> PrintOptions:
    """The options by the texts of a line item or a price table; `default` where they are empty."""
    strategy = SUPPORTS.get(supports.strip().lower())
    return PrintOptions(
        default.supports if strategy is None else _needs_supports(strategy, model),
        percent(infill, default.infill),
        layer_height or default.layer_height,
    )


def default_options(machine: PrinterType, model: StoredModel | None) -> PrintOptions:
    """The options that the owner of a printer type set for it."""
    return PrintOptions(
        _needs_supports(machine.supports, model), machine.infill, machine.layer_height
    )


def percent(text: str, otherwise: float | None) -> float | None:
    """A share of infill in percent, where a text is one."""
    try:
        number = float(text.strip().removesuffix("%"))
    except ValueError:
        return otherwise
    return number if 0 <= number <= 100 else otherwise


def _needs_supports(supports: str, model: StoredModel | None) -> bool | None:
    """Whether to generate supports; automatic ones follow the overhangs as the model stands."""
    if supports != _Supports.AUTO:
        return supports == _Supports.ON
    if model is None or model.sha256 is None:
        return None
    return shape_metrics.overhang_share(model.sha256) > SUPPORTED_OVERHANG
