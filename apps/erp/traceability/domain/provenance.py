"""Provenance relations of manufacturing."""

from django.db.models import QuerySet

from apps.erp import models
from apps.erp.base.models.access import readable_by
from apps.erp.production.models.attempts import loaded_runs
from core.auth_user import Person
from core.provenance import (
    Endpoint,
    ProvenanceSource,
    Relation,
    TracedKind,
    by_key,
    by_uri,
    produced,
)


def _lots(user: Person) -> QuerySet:
    return loaded_runs().filter(attempt__run__in=readable_by(models.Run, user))


def _places(user: Person) -> QuerySet:
    return models.Place.objects.filter(run__in=readable_by(models.Run, user))


TRACING = ProvenanceSource(
    kinds=(
        TracedKind(
            models.Order,
            facts=("customer_name", "customer_po", "due_date", "created"),
        ),
        TracedKind(models.Quote, facts=("amount", "net", "gross", "currency", "created")),
        TracedKind(models.Product),
        TracedKind(models.ModelLibrary),
        TracedKind(
            models.LineItem,
            facts=(
                "quantity",
                "layer_thickness",
                "customer_id",
                "created",
                "price__net",
                "price__currency",
            ),
        ),
        TracedKind(
            models.Piece,
            name="line_item__name",
            facts=("number", "line_item__quantity", "updated"),
        ),
        TracedKind(
            models.Run,
            facts=("operation", "started", "finished", "created"),
        ),
        TracedKind(models.Material, facts=("type", "color")),
        TracedKind(models.Stock, name="lot", facts=("supplier", "received", "expires")),
        TracedKind(models.Workflow),
        TracedKind(models.Printer),
        TracedKind(models.PrinterType, facts=("technology",)),
        TracedKind(models.PostProcessor),
        TracedKind(models.Shipping, facts=("region",)),
    ),
    relations=(
        by_key(models.Order, "shipping-of", "shipping_id", models.Shipping),
        by_key(models.Quote, "quoted-as", "order_id", models.Order),
        by_key(models.Product, "order-of", "order_id", models.Order),
        by_key(models.Product, "library-of", "model_library_id", models.ModelLibrary),
        by_uri(models.ModelLibrary, "model-of", "model_uri", "model"),
        by_key(models.LineItem, "order-of", "order_id", models.Order),
        by_key(models.LineItem, "product-of", "product_id", models.Product),
        by_key(models.LineItem, "material-of", "base_material_id", models.Material),
        by_key(models.LineItem, "material-of", "support_material_id", models.Material),
        by_key(models.LineItem, "workflow-of", "workflow_id", models.Workflow),
        by_uri(models.LineItem, "model-of", "model_uri", "model"),
        by_uri(models.LineItem, "config-of", "config_uri", "config"),
        by_uri(models.LineItem, "estimate-of", "slice_uri", "slice"),
        by_key(models.Piece, "line-item-of", "line_item_id", models.LineItem),
        by_key(models.Piece, "replaced-by", "replica_of_id", models.Piece),
        by_uri(models.Piece, "model-of", "model_uri", "model"),
        by_uri(models.Piece, "config-of", "config_uri", "config"),
        Relation(
            "run-of",
            _places,
            source=Endpoint("run_id", models.Run),
            target=Endpoint("piece_id", models.Piece),
        ),
        Relation(
            "lot-of",
            _lots,
            source=Endpoint("stock_id", models.Stock),
            target=Endpoint("attempt__run_id", models.Run),
        ),
        by_key(models.Stock, "material-of", "material_id", models.Material),
        by_key(models.Run, "printer-of", "printer_id", models.Printer),
        by_key(models.Run, "printer-type-of", "printer_type_id", models.PrinterType),
        by_key(models.Run, "post-processor-of", "post_processor_id", models.PostProcessor),
        by_key(models.Run, "shipping-of", "shipping_id", models.Shipping),
        by_uri(models.Run, "config-of", "config_uri", "config"),
        produced(models.Run, "packed-as", "model_uri", "model"),
        produced(models.Run, "sliced-as", "slice_uri", "slice"),
        produced(models.Run, "printed-from", "gcode_uri", "gcode"),
    ),
    readable=readable_by,
)
