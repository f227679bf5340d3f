"""Limits of computing of price tables: at once, in a job, and for an order."""

import threading
from collections.abc import Iterable

from apps.erp.orders.domain.prices.line_prices import Made
from apps.erp.price_tables.domain import price_table_cells, ready_dates
from apps.erp.price_tables.domain.basis_values import TableBasis
from apps.erp.price_tables.domain.response_types import CellAnswer
from core.errors import ServiceError

AT_ONCE_STEPS = 100_000  # of a request: less than a tenth of a second
MAX_ORDER_STEPS = 2_000_000  # of the cells that become an order: less than a second
MAX_STEPS = 10_000_000  # of a table: a few seconds
SECONDS_PER_STEP = 5e-7

# One table at a time in a process: several at once are no faster, since threads share the
# interpreter, and each of them slows all other requests.
_COMPUTING = threading.Lock()


class TableTooLarge(ServiceError):
    """More cells than are computed by this price list."""

    code = "limit-exceeded"


def too_large() -> TableTooLarge:
    """Return the error of a table of more than MAX_STEPS."""
    return TableTooLarge(
        f"This table takes more than {MAX_STEPS:,} steps to compute, a step being a part of a "
        "formula of the price list for a cell: ask for fewer cells at a time.",
        field="quantities",
        details={"most": MAX_STEPS},
    )


def cells_at_once(basis: TableBasis, made: dict[str, Made]) -> tuple[list[CellAnswer], int]:
    """The cells, where that takes few steps; otherwise none, and how many steps it may take.

    Raises TableTooLarge.
    """
    backlog = ready_dates.backlog_of(basis)
    try:
        with _COMPUTING:
            cells = price_table_cells.cells_of(basis, made, backlog=backlog, steps=AT_ONCE_STEPS)
    except price_table_cells.StepsExceeded as exceeded:
        if exceeded.expected > MAX_STEPS:
            raise too_large() from None
        return [], exceeded.expected
    return [cell.answer for cell in cells.values()], 0


def all_cells(
    basis: TableBasis, made: dict[str, Made], steps: int = 2 * MAX_STEPS
) -> list[CellAnswer]:
    """Return all cells; `steps`: at most, by default more than a table is expected to take.

    Raises StepsExceeded.
    """
    backlog = ready_dates.backlog_of(basis)
    cells = price_table_cells.cells_of(basis, made, backlog=backlog, steps=steps)
    return [cell.answer for cell in cells.values()]


def chosen_cells(
    basis: TableBasis, made: dict[str, Made], backlog: dict[str, float], chosen: Iterable[int]
) -> dict[int, price_table_cells.Cell]:
    """The cells at these positions, for an order. Raises TableTooLarge."""
    try:
        return price_table_cells.cells_of(
            basis, made, backlog=backlog, positions=set(chosen), steps=MAX_ORDER_STEPS
        )
    except price_table_cells.StepsExceeded:
        raise TableTooLarge(
            f"Their prices take more than {MAX_ORDER_STEPS:,} steps to compute: order fewer cells "
            "at a time.",
            field="cells",
            details={"most": MAX_ORDER_STEPS},
        ) from None
