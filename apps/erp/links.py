"""What manufacturing tells of how parts came to be."""

from functools import partial
from typing import Any

from django.db.models import QuerySet

from apps.erp import models
from apps.erp.models import Row
from apps.erp.models.access import readable
from core.links import End, Kind, Relation, Tracing

_VIEWS = {"model": "models", "config": "slicing", "slice": "slicing", "gcode": "slicing"}


def _kind(row: type[Row], *, name: str = "name", status: str = "", facts: tuple = ()) -> Kind:
    return Kind("erp", f"{row.KIND}-detail", partial(readable, row), name, status, facts)


def _of(row: type[Row], name: str, column: str, to: type[Row]) -> Relation:
    """The row in this column is the `name` row."""
    return Relation(
        name,
        partial(readable, row),
        source=End(f"{column}_id", "erp", f"{to.KIND}-detail"),
        target=_end(row),
    )


def _named(row: type[Row], name: str, column: str) -> Relation:
    """What the URI in this column names is the `name` row."""
    return Relation(name, partial(readable, row), source=_foreign(column), target=_end(row))


def _made(row: type[Row], name: str, column: str) -> Relation:
    """The row is the `name` what the URI in this column names."""
    return Relation(name, partial(readable, row), source=_end(row), target=_foreign(column))


def _end(row: type[Row], column: str = "pk") -> End:
    return End(column, "erp", f"{row.KIND}-detail")


def _foreign(column: str) -> End:
    return End(column, _VIEWS[column], f"{column}-detail", uri=True)


def _places(user: Any) -> QuerySet:
    return models.Place.objects.filter(run__in=readable(models.Run, user))


TRACING = Tracing(
    kinds=(
        _kind(
            models.Order,
            status="status",
            facts=("customer_name", "customer_po", "due_date", "created"),
        ),
        _kind(models.Quote, name="", status="status", facts=("amount", "currency", "created")),
        _kind(models.Product),
        _kind(models.ModelLibrary),
        _kind(
            models.LineItem,
            status="status",
            facts=("quantity", "layer_thickness", "customer_id", "created"),
        ),
        _kind(
            models.Piece,
            name="line_item__name",
            status="status",
            facts=("number", "line_item__quantity", "updated"),
        ),
        _kind(
            models.Run,
            status="status",
            facts=("operation", "started", "finished", "created"),
        ),
        _kind(models.Material, facts=("type", "color")),
        _kind(models.Workflow),
        _kind(models.Printer, status="status"),
        _kind(models.PrinterType, facts=("technology",)),
        _kind(models.PostProcessor),
        _kind(models.Shipping, facts=("region",)),
    ),
    relations=(
        _of(models.Order, "shipping-of", "shipping", models.Shipping),
        _of(models.Quote, "quoted-as", "order", models.Order),
        _of(models.Product, "order-of", "order", models.Order),
        _of(models.Product, "library-of", "model_library", models.ModelLibrary),
        _named(models.ModelLibrary, "model-of", "model"),
        _of(models.LineItem, "order-of", "order", models.Order),
        _of(models.LineItem, "product-of", "product", models.Product),
        _of(models.LineItem, "material-of", "base_material", models.Material),
        _of(models.LineItem, "material-of", "support_material", models.Material),
        _of(models.LineItem, "workflow-of", "workflow", models.Workflow),
        _named(models.LineItem, "model-of", "model"),
        _named(models.LineItem, "config-of", "config"),
        _named(models.LineItem, "estimate-of", "slice"),
        _of(models.Piece, "line-item-of", "line_item", models.LineItem),
        _of(models.Piece, "replaced-by", "replica_of", models.Piece),
        _named(models.Piece, "model-of", "model"),
        _named(models.Piece, "config-of", "config"),
        Relation(
            "run-of",
            _places,
            source=_end(models.Run, "run_id"),
            target=_end(models.Piece, "piece_id"),
        ),
        _of(models.Run, "printer-of", "printer", models.Printer),
        _of(models.Run, "printer-type-of", "printer_type", models.PrinterType),
        _of(models.Run, "post-processor-of", "post_processor", models.PostProcessor),
        _of(models.Run, "shipping-of", "shipping", models.Shipping),
        _named(models.Run, "config-of", "config"),
        _made(models.Run, "packed-as", "model"),
        _made(models.Run, "sliced-as", "slice"),
        _made(models.Run, "printed-from", "gcode"),
    ),
)
