"""Outputs of an operation."""

from apps.integrations.models import Operation
from apps.warehouse import interface as warehouse
from core.api.openapi.response_types import FreeJson


def outputs_of(row: Operation) -> FreeJson | None:
    """An operation's outputs, with a location that is made just now; None before the end."""
    if row.status != Operation.Status.COMPLETE:
        return row.outputs if row.is_over else None
    location = warehouse.stored_location(
        sha256=row.result_sha256, name=row.result_name, type=row.result_type
    )
    receipt = (row.outputs or {}).get("receipt")
    return {
        "content": location,
        "type": row.result_type or None,
        "receipt": receipt,
        "models": row.made,
    }
