"""Tabs above the lists of orders, quotes, documents and shipments, and of builds."""

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


_BUILD_TABS = (("run", _("Builds")), ("received-file", _("Received files")))


def list_tabs(view: ListView) -> list[Context]:
    """Return the tabs above a list of orders and what belongs to them, or of builds; else none."""
    if view.kind.name in dict(_BUILD_TABS):
        return [
            {"label": label, "path": f"/{kind}/", "current": kind == view.kind.name}
            for kind, label in _BUILD_TABS
        ]
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
