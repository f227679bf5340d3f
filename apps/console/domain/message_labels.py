"""Labels of messages to customers: moments, states, placeholders."""

from __future__ import annotations

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.model_report import BAD, CARE, GOOD, WAIT
from apps.console.domain.production_status import State

MOMENTS: dict[str, tuple[str | Promise, str | Promise]] = {
    "received": (_("Order received"), _("When an order is placed at the storefront")),
    "priced": (_("Quote ready"), _("With the link to accept")),
    "question": (_("Decision needed"), _("When a printability report needs a decision")),
    "confirmed": (_("Order confirmed"), _("When the order is confirmed")),
    "invoice": (_("Invoice"), _("When an invoice is issued, with the link to download it")),
    "payment-received": (_("Payment received"), _("When a payment is recorded, with its amount")),
    "in-production": (_("In production"), _("When production starts")),
    "shipped": (_("Shipped"), _("When a shipment is shipped, with its tracking link")),
    "completed": (_("Order complete"), _("When all parts are made and none is shipped")),
    "approval": (
        _("Approval needed"),
        _("To the approvers of a company, when an order is above its limit"),
    ),
    "declined": (_("Approval declined"), _("When an approver declines the order of a buyer")),
    "cancelled": (_("Order cancelled"), _("When the order is cancelled")),
}
STAFF_MOMENTS: dict[str, str | Promise] = {
    "order-review": _("New order waits for a review"),
    "quote-accepted": _("Customer accepts a quote"),
}
LANGUAGES: dict[str, str | Promise] = {"en": _("English"), "de": _("German")}
STATUSES = {
    "waiting": State(WAIT, _("Waiting")),
    "sending": State(WAIT, _("Sending")),
    "sent": State(GOOD, _("Sent")),
    "failed": State(BAD, _("Failed")),
    "held": State(CARE, _("Held")),
}
PLACEHOLDERS: tuple[tuple[str, str | Promise], ...] = (
    ("{order}", _("Order number")),
    ("{link}", _("Link of the order's page")),
    ("{shop}", _("Name of the shop")),
    ("{customer}", _("Name of the customer")),
    ("{due_date}", _("Due date")),
    ("{valid_until}", _("End of the quote")),
    ("{tracking}", _("Carrier, tracking number and link")),
    ("{amount}", _("Amount of the payment or the invoice")),
    ("{document}", _("Number of the invoice")),
    ("{remaining}", _("Number of pieces that are shipped later")),
)
