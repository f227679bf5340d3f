"""Sentences of notifications, in the language of the reader."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.model_report import BAD, CARE, GOOD
from apps.console.domain.print_findings import DECISIONS

if TYPE_CHECKING:
    from manufacturing.generated.users import Notification


class KindLabel(NamedTuple):
    """What a kind of notification is called in filters and settings, and how it is drawn."""

    title: str | Promise
    icon: str
    tone: str


class ShownNotification(NamedTuple):
    """A notification as pages show it.

    path : that opens it, by POST: it is read, and its subject shown
    note : build, shop, how often it happened
    """

    path: str
    icon: str
    tone: str
    title: str
    note: str
    at: datetime
    is_unread: bool


KINDS = {
    "order-received": KindLabel(gettext_lazy("Order received"), icon="shopping-cart", tone=GOOD),
    "order-review": KindLabel(gettext_lazy("Order to review"), icon="eye", tone=CARE),
    "quote-accepted": KindLabel(gettext_lazy("Quote accepted"), icon="circle-check", tone=GOOD),
    "approval-declined": KindLabel(
        gettext_lazy("Order declined by the customer"), icon="circle-x", tone=CARE
    ),
    "document-not-issued": KindLabel(
        gettext_lazy("Document not issued"), icon="file-text", tone=CARE
    ),
    "print-decision": KindLabel(
        gettext_lazy("Decision about a part"), icon="clipboard-check", tone=CARE
    ),
    "printer-attention": KindLabel(
        gettext_lazy("Printer needs attention"), icon="alert-triangle", tone=BAD
    ),
    "bed-to-clear": KindLabel(gettext_lazy("Bed to clear"), icon="printer", tone=CARE),
    "material-low": KindLabel(gettext_lazy("Material low"), icon="disc", tone=CARE),
    "maintenance-due": KindLabel(gettext_lazy("Maintenance due"), icon="list-details", tone=CARE),
    "job-failed": KindLabel(gettext_lazy("Job failed"), icon="circle-x", tone=BAD),
}
TITLES = {
    "order-received": gettext_lazy("Order #%(number)s received from %(customer)s"),
    "order-review": gettext_lazy("Order #%(number)s from %(customer)s needs a review"),
    "quote-accepted": gettext_lazy("%(customer)s accepted the quote of order #%(number)s"),
    "approval-declined": gettext_lazy("%(customer)s did not approve order #%(number)s"),
    "print-decision": gettext_lazy(
        "%(customer)s decided about %(part)s of order #%(number)s: %(decision)s"
    ),
    "bed-to-clear": gettext_lazy("%(printer)s: print ended, clear the bed"),
    "material-low": gettext_lazy(
        "%(material)s: %(free)s %(unit)s free, reorder point %(reorder_point)s %(unit)s"
    ),
    "maintenance-due": gettext_lazy("%(printer)s: %(tasks)s due"),
}
PRINTER_TITLES = {
    "paused": gettext_lazy("%(printer)s: print paused"),
    "unclear": gettext_lazy("%(printer)s: state of the print unknown"),
    "failed": gettext_lazy("%(printer)s: print failed"),
    "offline": gettext_lazy("%(printer)s: offline"),
    "fault": gettext_lazy("%(printer)s: the printer reports a fault"),
}
# By the type of the document, and why it was not issued.
DOCUMENTS = {
    "quote": gettext_lazy("Order #%(number)s: quote not issued. %(reason)s"),
    "invoice": gettext_lazy("Order #%(number)s: invoice not issued. %(reason)s"),
}
DOCUMENT_REASONS = {
    "tax-unclear": gettext_lazy("A price or tax is missing: set it, then issue the document."),
    "seller-incomplete": gettext_lazy("Add address and VAT number of the shop in the settings."),
    "buyer-incomplete": gettext_lazy("Add a customer with an address to the order."),
    "too-many-lines": gettext_lazy("The order has too many parts: divide it."),
    "partly-invoiced": gettext_lazy("Only a part of the order is on an invoice."),
}
# By the kind of the resource.
JOB_TITLES = {
    "model": gettext_lazy("Analysis failed: %(name)s"),
    "slice": gettext_lazy("Slicing failed: %(name)s"),
    "operation": gettext_lazy("Operation failed: %(name)s"),
    "line-item": gettext_lazy("Estimate failed: %(name)s"),
    "run": gettext_lazy("Packing failed: %(name)s"),
}


def shown_notification(row: Notification, path: str, subject: str, shop: str) -> ShownNotification:
    """Return a notification for a page.

    path    : of the notification; subject: of what it is about, such as /order/<uuid>/
    shop    : name of its shop; empty where it needs not be named
    """
    label = KINDS[row["kind"]]
    count = row["count"]
    times = ngettext("%(count)s time", "%(count)s times", count) % {"count": count}
    notes = (str(row["data"].get("build", "")), shop, times if count > 1 else "")
    return ShownNotification(
        path=path,
        icon=label.icon,
        tone=label.tone,
        title=_title(row, subject.split("/")[1]),
        note=" · ".join(note for note in notes if note),
        at=datetime.fromisoformat(row["updated"]),
        is_unread=row["read"] is None,
    )


def _title(row: Notification, subject: str) -> str:
    """The sentence of a notification."""
    data = defaultdict(str, row["data"])
    if row["kind"] == "job-failed":
        data["name"] = data["name"] or _("without a name")
        return str(JOB_TITLES.get(subject, JOB_TITLES["operation"])) % data
    if row["kind"] == "printer-attention":
        return str(PRINTER_TITLES.get(data["reason"], PRINTER_TITLES["fault"])) % data
    if row["kind"] == "document-not-issued":
        other = _("Issue it on the page of the order.")
        data["reason"] = str(DOCUMENT_REASONS.get(data["reason"], other))
        return str(DOCUMENTS[data["document"]]) % data
    if row["kind"] == "print-decision":
        data["decision"] = DECISIONS[data["decision"]]
    if row["kind"] == "material-low":
        data |= {name: number_format(data[name] or 0, 0) for name in ("free", "reorder_point")}
    if row["kind"] == "maintenance-due" and data["more"]:
        data["tasks"] = _("%(tasks)s and %(more)s more") % data
    return str(TITLES[row["kind"]]) % data
