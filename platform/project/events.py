"""The events that exist: what each type tells, as JSON Schema."""

from typing import Any

_URI = {"type": "string", "format": "uri"}
_ESTIMATES = ("build_time_seconds", "support_volume_cc", "build_volume_cc")

# What the resources of the manufacturing system can become.
_ORDER = ("new", "confirmed", "in-progress", "complete", "cancelled")
_LINE_ITEM = (
    "calculating_estimates",
    "pending",
    "confirmed",
    "queued",
    "printing",
    "post-processing",
    "shipping",
    "complete",
    "cancelled",
    "error",
)
_PIECE = ("created", "queued", "in-progress", "complete", "error", "cancelled")
_RUN = ("calculating", "calculated", "queued", "in-progress", "complete", "error")


def _event(status: str, **changed: Any) -> dict[str, Any]:
    """The schema of what is told: `uri`, `status` and these changed properties, all of them."""
    properties = {"uri": _URI, "status": {"const": status}, **changed}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


SCHEMAS: dict[str, dict[str, Any]] = {
    "model.processed": _event("processed", **{"analyses.manifold": {"type": "boolean"}}),
    "model.error": _event("error"),
    "snapshot.processed": _event("processed"),
    "snapshot.error": _event("error"),
    "slice.processing": _event("processing"),
    "slice.processed": _event(
        "processed",
        slice_time={"type": "integer", "minimum": 0},
        **{f"estimates.{name}": {"type": ["number", "null"]} for name in _ESTIMATES},
    ),
    "slice.error": _event("error"),
    "operation.processing": _event("processing"),
    "operation.complete": _event(
        "complete",
        **{
            "outputs.content": {"type": ["string", "null"], "format": "uri"},
            "outputs.type": {"type": ["string", "null"]},
            "outputs.receipt": {},
            "results": {"type": ["string", "null"], "format": "uri"},
            "result": {"type": ["string", "null"], "format": "uri"},
        },
    ),
    "operation.error": _event(
        "error",
        **{
            "outputs.title": {"type": "string"},
            "outputs.code": {"type": "string"},
            "outputs.details": {},
        },
    ),
    "invoice.overdue": _event("overdue"),
    "invoice.paid": _event("paid", payment_uuid={"type": "string", "format": "uuid"}),
    **{f"order.{status}": _event(status) for status in _ORDER},
    **{f"line-item.{status}": _event(status) for status in _LINE_ITEM if status != "pending"},
    "line-item.pending": _event(
        "pending",
        **{
            "estimates.print_time": {"type": ["number", "null"]},
            "estimates.material": {"type": ["number", "null"]},
            "estimates.cost.amount": {"type": ["number", "null"]},
            "estimates.cost.currency": {"type": ["string", "null"]},
        },
    ),
    **{f"piece.{status}": _event(status) for status in _PIECE},
    **{f"run.{status}": _event(status) for status in _RUN},
}
