"""Forecast of the day on which a cell's pieces are with the customer."""

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from math import ceil

from apps.erp.orders.models.orders import LineItem
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.organisation.models.workflows import ProcessStep
from apps.erp.price_tables.domain.basis_values import BasisFinish, BasisMaterial, TableBasis
from pricing.cost_drivers import KnownDriver

MAX_DAYS = 36_500.0  # of work; a forecast further on is none


def backlog_of(basis: TableBasis) -> dict[str, float]:
    """Working days until a machine of each type is free, by confirmed hours of machine time.

    A line item's print time is that of all its pieces, however many steps of its workflow print.
    """
    found: dict[str, float] = {}
    for uri in {each["machine"] for each in basis["materials"] if each["machine"]}:
        (key,) = PrinterType.keys_of(uri)
        waiting = LineItem.objects.filter(
            # Not a join, which would have a row for each printing step.
            workflow__in=ProcessStep.objects.filter(printer_type=key).values("workflow"),
            status__in=(
                LineItem.Status.CONFIRMED,
                LineItem.Status.QUEUED,
                LineItem.Status.PRINTING,
            ),
        )
        seconds = [
            (each or {}).get("print_time") or 0.0
            for each in waiting.values_list("estimates", flat=True)
        ]
        printers = max(1, Printer.objects.filter(printer_type=key).count())
        found[uri] = sum(seconds) / 3600 / printers / (basis["hours_a_day"] or 24)
    return found


def ready_date(
    basis: TableBasis,
    material: BasisMaterial,
    numbers: dict[str, KnownDriver],
    finish: Sequence[BasisFinish],
    quantity: int,
    backlog: dict[str, float],
) -> str | None:
    """The day on which it is with the customer: a forecast. None where the time is not known."""
    hours = numbers["hours"]
    if not isinstance(hours, Decimal) or material["machine"] not in backlog:
        return None
    work = (
        float(hours) * quantity + sum((each["duration"] or 0) for each in finish) * quantity / 3600
    )
    days_of_work = backlog[material["machine"]] + work / (basis["hours_a_day"] or 24)
    if not days_of_work < MAX_DAYS:
        return None
    days = ceil(days_of_work)
    calendar = basis["calendar_days"]
    ahead = days + basis["shipping_days"]
    if ahead < len(calendar):
        return calendar[ahead]
    last = date.fromisoformat(calendar[-1])
    return (last + timedelta(days=ahead - len(calendar) + 1)).isoformat()
