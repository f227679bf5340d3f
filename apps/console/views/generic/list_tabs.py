"""Tabs above the lists of orders, quotes, documents and shipments."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.resources.list_view import ListView

_TABS: tuple[tuple[str, str, Promise], ...] = (
    ("order", "", _("Orders")),
    ("quote", "", _("Quotes")),
    ("shipment", "", _("Shipments")),
    ("document", "invoice", _("Invoices")),
    ("document", "credit-note", _("Credit notes")),
    ("document", "", _("All documents")),
)


def order_tabs(view: ListView) -> list[Context]:
    """Return the tabs above a list of orders, quotes, shipments or documents; none above others."""
    kinds = {kind for kind, _type, _label in _TABS}
    if view.kind.name not in kinds:
        return []
    chosen = view.arguments.get("filter[type]", "")
    types = {kind_type for _kind, kind_type, _label in _TABS}
    return [
        {
            "label": label,
            "path": f"/{kind}/?filter[type]={only}" if only else f"/{kind}/",
            "current": kind == view.kind.name and only == (chosen if chosen in types else ""),
        }
        for kind, only, label in _TABS
    ]
