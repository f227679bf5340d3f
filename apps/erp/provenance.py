"""Provenance relations of manufacturing."""

from django.db.models import QuerySet

from apps.erp import models
from apps.erp.base.models.access import readable
from apps.erp.printing.models.attempts import loaded_runs
from core.auth_user import Person
from core.provenance import End, Kind, Relation, Tracing, key_in, made, uri_in


def _lots(user: Person) -> QuerySet:
    return loaded_runs().filter(attempt__run__in=readable(models.Run, user))


def _places(user: Person) -> QuerySet:
    return models.Place.objects.filter(run__in=readable(models.Run, user))


TRACING = Tracing(
    kinds=(
        Kind(
            models.Order,
            facts=("customer_name", "customer_po", "due_date", "created"),
        ),
        Kind(models.Quote, facts=("amount", "net", "gross", "currency", "created")),
        Kind(models.Product),
        Kind(models.ModelLibrary),
        Kind(
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
        Kind(
            models.Piece,
            name="line_item__name",
            facts=("number", "line_item__quantity", "updated"),
        ),
        Kind(
            models.Run,
            facts=("operation", "started", "finished", "created"),
        ),
        Kind(models.Material, facts=("type", "color")),
        Kind(models.Stock, name="lot", facts=("supplier", "received", "expires")),
        Kind(models.Workflow),
        Kind(models.Printer),
        Kind(models.PrinterType, facts=("technology",)),
        Kind(models.PostProcessor),
        Kind(models.Shipping, facts=("region",)),
    ),
    relations=(
        key_in(models.Order, "shipping-of", "shipping_id", models.Shipping),
        key_in(models.Quote, "quoted-as", "order_id", models.Order),
        key_in(models.Product, "order-of", "order_id", models.Order),
        key_in(models.Product, "library-of", "model_library_id", models.ModelLibrary),
        uri_in(models.ModelLibrary, "model-of", "model_uri", "model"),
        key_in(models.LineItem, "order-of", "order_id", models.Order),
        key_in(models.LineItem, "product-of", "product_id", models.Product),
        key_in(models.LineItem, "material-of", "base_material_id", models.Material),
        key_in(models.LineItem, "material-of", "support_material_id", models.Material),
        key_in(models.LineItem, "workflow-of", "workflow_id", models.Workflow),
        uri_in(models.LineItem, "model-of", "model_uri", "model"),
        uri_in(models.LineItem, "config-of", "config_uri", "config"),
        uri_in(models.LineItem, "estimate-of", "slice_uri", "slice"),
        key_in(models.Piece, "line-item-of", "line_item_id", models.LineItem),
        key_in(models.Piece, "replaced-by", "replica_of_id", models.Piece),
        uri_in(models.Piece, "model-of", "model_uri", "model"),
        uri_in(models.Piece, "config-of", "config_uri", "config"),
        Relation(
            "run-of",
            _places,
            source=End("run_id", models.Run),
            target=End("piece_id", models.Piece),
        ),
        Relation(
            "lot-of",
            _lots,
            source=End("stock_id", models.Stock),
            target=End("attempt__run_id", models.Run),
        ),
        key_in(models.Stock, "material-of", "material_id", models.Material),
        key_in(models.Run, "printer-of", "printer_id", models.Printer),
        key_in(models.Run, "printer-type-of", "printer_type_id", models.PrinterType),
        key_in(models.Run, "post-processor-of", "post_processor_id", models.PostProcessor),
        key_in(models.Run, "shipping-of", "shipping_id", models.Shipping),
        uri_in(models.Run, "config-of", "config_uri", "config"),
        made(models.Run, "packed-as", "model_uri", "model"),
        made(models.Run, "sliced-as", "slice_uri", "slice"),
        made(models.Run, "printed-from", "gcode_uri", "gcode"),
    ),
    readable=readable,
)
