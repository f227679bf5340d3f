"""Kinds of resources that have list, detail and form pages, with their names and columns."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True)
class ResourceKind:
    """A kind of resource, and how its pages show it.

    name     : in URIs and paths
    columns  : fields that a list shows beside the title, as far as the document has them
    titles   : fields that name a resource; of the first ones that have a value all are joined
    service  : host that has it
    settings : whether its pages are part of the settings
    creates  : whether its form of a new one is drawn; others are made by pages of their own
    changes  : whether it is changed by the generic form
    new      : path of a page of its own for a new one
    at       : path of the list, where another page has that of the kind
    page_size : rows of a page of the list
    omitted  : fields that its page and its form leave out, since other pages show or change them
    empty_hint : where resources come from, below the heading of an empty list
    """

    name: str
    title: str | Promise
    plural: str | Promise
    icon: str
    columns: tuple[str, ...]
    titles: tuple[str, ...] = ("name",)
    service: str = "erp"
    settings: bool = False
    creates: bool = True
    changes: bool = True
    new: str = ""
    at: str = ""
    page_size: int = 50
    omitted: tuple[str, ...] = ()
    empty_hint: str | Promise = ""

    @property
    def path(self) -> str:
        """Path of the page with the list."""
        return self.at or self.collection

    @property
    def collection(self) -> str:
        """Path of the list in the API."""
        return f"/{self.name}/"

    @property
    def new_label(self) -> str:
        """What leads to the form of a new one, such as "New price list"."""
        return gettext("New %(kind)s") % {"kind": _in_sentence(self.title)}

    @property
    def empty_label(self) -> str:
        """Heading of an empty list, such as "No price lists yet"."""
        return gettext("No %(kinds)s yet") % {"kinds": _in_sentence(self.plural)}


def _in_sentence(name: str | Promise) -> str:
    """Return a name as it is written within a sentence: in English with a small letter."""
    text = str(name)
    is_english = (get_language() or "en").startswith("en")
    return text[:1].lower() + text[1:] if is_english and not text[1:2].isupper() else text


make = ResourceKind
KINDS = [
    make("bureau", _("Shop"), _("Shops"), icon="building-factory-2", settings=True, new="/bureau/",
         omitted=("group",),
         columns=("currency", "description")),
    make("location", _("Location"), _("Locations"), icon="map-pin", settings=True,
         columns=("contact", "phone", "address")),
    make("printer", _("Printer"), _("Printers"), icon="printer", settings=True, at="/printer/list/",
         columns=("printer_type", "location", "driver", "agent", "status", "plate", "maintenance",
                  "auto_start")),
    make("printer-type", _("Printer type"), _("Printer types"), icon="box", settings=True,
         columns=("preset", "build_volume.x", "build_volume.y", "build_volume.z", "materials",
                  "packing_mode", "running_cost_per_hour")),
    make("maintenance-task", _("Maintenance task"), _("Maintenance tasks"), icon="list-details",
         settings=True, columns=("printer_type", "interval.hours", "interval.grams",
                                 "interval.jobs", "interval.days", "blocks")),
    make("maintenance-entry", _("Maintenance entry"), _("Maintenance log"), icon="history",
         changes=False, columns=("printer", "task", "notes", "hours", "jobs", "creator",
                                 "created")),
    make("agent", _("Printer agent"), _("Printer agents"), icon="plug", settings=True,
         columns=("location", "status", "version", "seen")),
    make("material", _("Material"), _("Materials"), icon="disc", settings=True,
         columns=("filament_type", "color", "type", "cost", "density", "reorder_point",
                  "stock_level")),
    make("manufacturer", _("Manufacturer"), _("Manufacturers"), icon="building-store",
         settings=True, columns=("address", "contact.name", "contact.phone")),
    make("post-processor-type", _("Post-processing type"), _("Post-processing types"),
         icon="adjustments", settings=True, columns=("manufacturer", "cost", "duration")),
    make("post-processor", _("Post-processing station"), _("Post-processing stations"),
         icon="adjustments", settings=True,
         columns=("post_processor_type", "location", "duration")),
    make("shipping", _("Shipping method"), _("Shipping methods"), icon="truck", settings=True,
         columns=("region", "cost")),
    make("service-provider", _("Service provider"), _("Service providers"), icon="building-store",
         settings=True, columns=("description",)),
    make("third-party", _("Third party"), _("Third parties"), icon="building-store",
         settings=True, columns=("description",)),
    make("workflow", _("Process"), _("Processes"), icon="list-details", settings=True, columns=()),
    make("process-step", _("Process step"), _("Process steps"), icon="list-details", settings=True,
         columns=("process_type", "step_position", "workflow"),
         titles=("workflow", "step_position")),
    make("working-calendar", _("Working calendar"), _("Working calendars"), icon="calendar",
         settings=True, columns=("time_zone", "hours_a_day", "cut_off", "shipping_days")),
    make("price-list", _("Price list"), _("Price lists"), icon="currency-euro", settings=True,
         columns=("is_default", "country", "language", "least_total", "since")),
    make("price-term", _("Price term"), _("Price terms"), icon="calculator", settings=True,
         columns=("price_list", "step", "position", "amount", "factor", "formula", "unit")),
    make("tax-rule", _("Tax rule"), _("Tax rules"), icon="receipt-tax", settings=True,
         columns=("country", "category", "rate", "since")),
    make("currency-conversion", _("Currency conversion"), _("Currency conversions"),
         icon="currency-euro", settings=True, columns=("value",), titles=("currency",)),
    make("customer-group", _("Customer group"), _("Customer groups"), icon="users", settings=True,
         columns=("price_list", "description")),
    make("customer-company", _("Company"), _("Companies"), icon="building-store", settings=True,
         columns=("approval_limit", "group")),
    make("company-member", _("Company member"), _("Company members"), icon="users", settings=True,
         columns=("company", "email", "role"), titles=("name", "email")),
    make("order-approval", _("Order approval"), _("Order approvals"), icon="clipboard-check",
         settings=True, creates=False, changes=False,
         columns=("order", "company", "step", "person", "amount", "note"),
         titles=("person",)),
    make("storefront", _("Storefront"), _("Storefronts"), icon="building-store", settings=True,
         columns=("enabled", "price_list", "review", "materials"), titles=("title", "slug")),
    make("customer", _("Customer"), _("Customers"), icon="users",
         empty_hint=_("Customers come from your storefront, from a CSV file, or by hand."),
         columns=("email", "company", "country", "group", "vat_number")),
    make("order", _("Order"), _("Orders"), icon="shopping-cart", new="/order/new/",
         omitted=("line_items", "status"),
         empty_hint=_("Orders come from your storefront, from a shop system, or by hand."),
         columns=("customer", "due_date"), page_size=25,
         titles=("number", "name")),
    make("line-item", _("Part of an order"), _("Parts of orders"), icon="shopping-cart",
         omitted=("status", "custom_field_values"), creates=False,
         columns=("order", "quantity", "priority", "status")),
    make("quote", _("Quote"), _("Quotes"), icon="file-text", creates=False, changes=False,
         columns=("order", "status", "net", "gross", "expires"), titles=("order",)),
    make("product", _("Product of an order"), _("Products of orders"), icon="cube",
         columns=("order", "model_library"), titles=("name", "model_library")),
    make("price-table", _("Price table"), _("Price tables"), icon="calculator", creates=False,
         changes=False, columns=("customer", "currency", "status", "created"), titles=("created",)),
    make("model-library", _("Catalogue part"), _("Catalogue parts"), icon="cube",
         columns=("model", "material", "workflow")),
    make("run", _("Build"), _("Builds"), icon="stack-2", creates=False,
         omitted=("status", "slicing"),
         columns=("operation", "printer", "printer_type", "status", "created")),
    make("received-file", _("Received file"), _("Received files"), icon="upload", creates=False,
         changes=False, omitted=("moves",),
         columns=("status", "gcode", "model", "run", "slicer", "created")),
    make("slicer-key", _("Slicer key"), _("Slicer keys"), icon="key", settings=True,
         creates=False, at="/settings/slicers/", columns=("printer_type", "last_used")),
    make("piece", _("Piece"), _("Pieces"), icon="cube", creates=False,
         columns=("line_item", "number", "status"), titles=("line_item", "number")),
    make("attempt", _("Print attempt"), _("Print attempts"), icon="player-play", creates=False,
         changes=False, columns=("printer", "run", "status", "began", "ended")),
    make("stock", _("Lot"), _("Inventory"), icon="disc", titles=("material", "lot"),
         columns=("location", "remaining", "reserved", "unit", "level", "supplier", "expires")),
    make("stock-movement", _("Stock movement"), _("Stock movements"), icon="history",
         columns=("stock", "kind", "amount", "notes", "created"), titles=("kind", "stock")),
    make("invitation", _("Invitation"), _("Invitations"), icon="user-plus", settings=True,
         new="/settings/people/invite/", changes=False,
         columns=("role", "created", "expires", "accepted_by")),
    make("message", _("E-mail"), _("E-mail log"), icon="mail", settings=True,
         creates=False, changes=False,
         columns=("recipient", "order", "moment", "status", "created"), titles=("subject",)),
    make("bank-account", _("Bank account"), _("Bank accounts"), icon="receipt-2", settings=True,
         columns=("iban", "bic", "term_days"), titles=("account_holder",)),
    make("order-payment", _("Payment of an order"), _("Payments of orders"), icon="receipt-2",
         changes=False, columns=("order", "amount", "paid_on", "method", "note", "reverses"),
         titles=("paid_on", "amount")),
    make("document", _("Document"), _("Documents"), icon="file-invoice", creates=False,
         changes=False, columns=("type", "order", "issued_on", "net", "gross", "status"),
         titles=("number",)),
    make("shipment", _("Shipment"), _("Shipments"), icon="truck", creates=False,
         omitted=("lines", "status", "delivery_note.uri"), titles=("order", "number"),
         columns=("order", "status", "carrier", "tracking_number", "tracking_url", "shipped",
                  "delivery_note.number", "delivery_note.download")),
    make("document-series", _("Number series"), _("Number series"), icon="file-invoice",
         settings=True, columns=("prefix", "next", "yearly"), titles=("type",)),
    make("process-limits", _("Printability limits"), _("Printability limits"), icon="ruler-2",
         settings=True, columns=("printer_type", "process", "decision_from"),
         titles=("process", "printer_type")),
    make("print-report", _("Printability report"), _("Printability reports"),
         icon="clipboard-check", creates=False, changes=False,
         columns=("line_item", "order", "verdict", "needs_decision", "created"),
         titles=("line_item",)),
    make("print-decision", _("Printability decision"), _("Printability decisions"),
         icon="clipboard-check", changes=False, omitted=("findings",),
         columns=("print_report", "decision", "name", "created"), titles=("decision", "name")),
    make("share-link", _("Customer link"), _("Customer links"), icon="key",
         columns=("order", "expires", "revoked", "created"), titles=("order",)),
    make("membership-bureau", _("Member"), _("Members"), icon="users", settings=True,
         columns=("created",), titles=("user",)),
    make("membership-location", _("Member of a location"), _("Members of locations"), icon="users",
         settings=True, columns=("location", "created"), titles=("user",)),
    make("permission-bureau", _("Right in the shop"), _("Rights in the shop"), icon="lock",
         settings=True, columns=("user", "created"), titles=("right",)),
    make("permission-location", _("Right at a location"), _("Rights at locations"), icon="lock",
         settings=True, columns=("user", "location", "created"), titles=("right",)),
    make("role", _("Role"), _("Roles"), icon="users", settings=True, creates=False, changes=False,
         columns=("role", "location"), titles=("username",)),
    make("feature", _("Feature"), _("Features"), icon="toggle-right", settings=True,
         creates=False,
         columns=("enabled", "description")),
    make("subscription", _("Webhook"), _("Webhooks"), icon="plug", settings=True,
         service="callbacks", columns=("method", "events", "created"), titles=("url",)),
    make("webhook-secret", _("Webhook secret"), _("Webhook secrets"), icon="key", settings=True,
         service="callbacks", columns=("expires",), titles=("created",), changes=False),
]  # fmt: skip
BY_NAME = {kind.name: kind for kind in KINDS}

# Kinds that the fields of this name refer to, where these are not named as their kind is.
REFERENCES: dict[str, tuple[str, ...]] = {
    "accepted_by": ("users",),
    "base": ("material",),
    "calendar": ("working-calendar",),
    "company": ("customer-company",),
    "config": ("config",),
    "contact": ("users",),
    "corrects": ("document",),
    "created_by": ("users",),
    "creator": ("users",),
    "engine": ("engine",),
    "finishes": (),
    "gcode": ("gcode",),
    "group": ("customer-group",),
    "loaded": ("stock",),
    "print_preset": ("preset",),
    "printer_gcode": ("printer-gcode",),
    "process_type": ("printer-type", "post-processor-type", "shipping"),
    "refunds": ("order-payment",),
    "replica_of": ("piece",),
    "reverses": ("order-payment",),
    "support": ("material",),
    "user": ("users",),
    "user_uri": ("users",),
    "vat_confirmed_by": ("users",),
}
# Hosts of kinds that are not of manufacturing, and that fields refer to.
ELSEWHERE = {
    "model": "models",
    "gcode": "slicing",
    "slice": "slicing",
    "preset": "slicing",
    "printer-gcode": "slicing",
    "config": "slicing",
    "engine": "slicing",
    "users": "users",
}
# Kinds that are not offered in a select, but named by their URI.
UNLISTED = ("slice", "gcode", "printer-gcode")
# What a list of a kind is reduced to, by the field that refers to it.
OFFERED = {
    "config": {"filter[kind]": "raw", "filter[fitted]": "false"},
    "engine": {"filter[in_shop]": "true"},
    "preset": {"filter[kind]": "printer", "filter[usable]": "true"},
    "print_preset": {"filter[kind]": "print"},
}


def service_of(kind: str) -> str:
    """Return the host of a kind."""
    return BY_NAME[kind].service if kind in BY_NAME else ELSEWHERE.get(kind, "erp")


def kinds_named(field: str, kind_names: frozenset[str]) -> tuple[str, ...]:
    """Return the kinds that a field may refer to; none where it refers to no known one.

    kind_names : names of the kinds of the document
    """
    last = field.rpartition(".")[2]
    if last == "uri":
        last = field.partition(".")[0]
    if last in REFERENCES:
        return REFERENCES[last]
    name = last.replace("_", "-")
    for each in (name, name.removesuffix("s"), name.removesuffix("ies") + "y"):
        if each in kind_names or each in ELSEWHERE or each in BY_NAME:
            return (each,)
    return ()
