"""When line items are estimated."""

from apps.erp.actors import estimate_line_item
from apps.erp.models import LineItem

_Status = LineItem.Status
_NOTHING = {"estimates": None, "slice_uri": None, "errors": None}


def begin(row: LineItem) -> None:
    """Have a new line item estimated."""
    estimate_line_item.send(str(row.pk))


def restart(row: LineItem) -> None:
    """What a line item, which the caller has locked, is estimated by has changed.

    A cancelled one is estimated when it is reopened.
    """
    if row.status in (_Status.PENDING, _Status.ERROR):
        row.move(_Status.CALCULATING, **_NOTHING)
    else:
        for name, value in _NOTHING.items():
            setattr(row, name, value)
        row.save(update_fields=[*_NOTHING, "updated"])
    if row.status != _Status.CANCELLED:
        estimate_line_item.send(str(row.pk))
