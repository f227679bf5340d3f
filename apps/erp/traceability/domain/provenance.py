"""Provenance relations of manufacturing."""

from django.db.models import QuerySet

from apps.erp.base.models.access import readable_by
from apps.erp.inventory.models.lots import Stock
from apps.erp.orders.models.orders import LineItem, Order, Product, Quote
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import PostProcessor, Printer, PrinterType
from apps.erp.organisation.models.master_data import Material, Shipping
from apps.erp.organisation.models.workflows import ModelLibrary, Workflow
from apps.erp.production.models.attempts import loaded_runs
from apps.erp.production.models.runs import Place, Run
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
    return loaded_runs().filter(attempt__run__in=readable_by(Run, user))


def _places(user: Person) -> QuerySet:
    return Place.objects.filter(run__in=readable_by(Run, user))


TRACING = ProvenanceSource(
    kinds=(
        TracedKind(
            Order,
            facts=("customer_name", "customer_po", "due_date", "created"),
        ),
        TracedKind(Quote, facts=("amount", "net", "gross", "currency", "created")),
        TracedKind(Product),
        TracedKind(ModelLibrary),
        TracedKind(
            LineItem,
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
            Piece,
            name="line_item__name",
            facts=("number", "line_item__quantity", "updated"),
        ),
        TracedKind(
            Run,
            facts=("operation", "started", "finished", "created"),
        ),
        TracedKind(Material, facts=("type", "color")),
        TracedKind(Stock, name="lot", facts=("supplier", "received", "expires")),
        TracedKind(Workflow),
        TracedKind(Printer),
        TracedKind(PrinterType, facts=("technology",)),
        TracedKind(PostProcessor),
        TracedKind(Shipping, facts=("region",)),
    ),
    relations=(
        by_key(Order, "shipping-of", "shipping_id", Shipping),
        by_key(Quote, "quoted-as", "order_id", Order),
        by_key(Product, "order-of", "order_id", Order),
        by_key(Product, "library-of", "model_library_id", ModelLibrary),
        by_uri(ModelLibrary, "model-of", "model_uri", "model"),
        by_key(LineItem, "order-of", "order_id", Order),
        by_key(LineItem, "product-of", "product_id", Product),
        by_key(LineItem, "material-of", "base_material_id", Material),
        by_key(LineItem, "material-of", "support_material_id", Material),
        by_key(LineItem, "workflow-of", "workflow_id", Workflow),
        by_uri(LineItem, "model-of", "model_uri", "model"),
        by_uri(LineItem, "config-of", "config_uri", "config"),
        by_uri(LineItem, "estimate-of", "slice_uri", "slice"),
        by_key(Piece, "line-item-of", "line_item_id", LineItem),
        by_key(Piece, "replaced-by", "replica_of_id", Piece),
        by_uri(Piece, "model-of", "model_uri", "model"),
        by_uri(Piece, "config-of", "config_uri", "config"),
        Relation(
            "run-of",
            _places,
            source=Endpoint("run_id", Run),
            target=Endpoint("piece_id", Piece),
        ),
        Relation(
            "lot-of",
            _lots,
            source=Endpoint("stock_id", Stock),
            target=Endpoint("attempt__run_id", Run),
        ),
        by_key(Stock, "material-of", "material_id", Material),
        by_key(Run, "printer-of", "printer_id", Printer),
        by_key(Run, "printer-type-of", "printer_type_id", PrinterType),
        by_key(Run, "post-processor-of", "post_processor_id", PostProcessor),
        by_key(Run, "shipping-of", "shipping_id", Shipping),
        by_uri(Run, "config-of", "config_uri", "config"),
        produced(Run, "packed-as", "model_uri", "model"),
        produced(Run, "sliced-as", "slice_uri", "slice"),
        produced(Run, "printed-from", "gcode_uri", "gcode"),
    ),
    readable=readable_by,
)
