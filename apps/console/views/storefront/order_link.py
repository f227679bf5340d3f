"""Status page of an order, opened by its share link; accepts its quote."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django import forms
from django.http import HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import LocalizedText, Shown
from apps.console.domain.price_table import chosen_labels
from apps.console.domain.production_status import money
from apps.console.views.base.page import handle_form, key_of, page
from apps.console.views.base.store_context import StoreContext
from apps.console.views.orders import card_payments
from apps.console.views.orders.order_documents import shared_documents
from apps.console.views.orders.order_payments import transfer_of
from apps.console.views.orders.print_reports import shared_reports
from apps.console.views.orders.shipments import shared_shipments
from core.uris import base_url, domain_url
from core.web.site_urls import domain_of

if TYPE_CHECKING:
    from manufacturing.generated.sales import (
        OrderTotals,
        SharedOrder,
        SharedQuote,
        SharedReport,
    )

CONFIRMED_WITHIN = timedelta(minutes=2)  # orders that nobody reviews, as a rule
STEPS = {
    "received": _("Order received"),
    "review": _("Review"),
    "quote": _("Quote"),
    "confirmed": _("Confirmed"),
    "production": _("Production"),
    "ready": _("Ready to ship"),
    "shipped": _("Shipped"),
    "cancelled": _("Cancelled"),
}


class AcceptForm(forms.Form):
    """Who accepts the quote."""

    name = forms.CharField(
        label=_("Your name"),
        max_length=200,
        help_text=_("Name and time are stored with the quote."),
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    key = forms.CharField(widget=forms.HiddenInput)


@page("GET", "POST", context=StoreContext)
def shared_order(visit: StoreContext, token: str) -> HttpResponse:
    """The order as its customer sees it; POST accepts the quote."""
    uri = f"{base_url('sales')}/shared-order/{token}/"
    returned = visit.request.GET.get("card") == "return" and not visit.posted
    card = card_payments.refresh_card_payment(visit, uri) if returned else ""
    answer = visit.shared_order(token)
    order = answer["order"]
    if answer["domains"] and not domain_of(visit.request) and not visit.posted:
        return HttpResponseRedirect(
            domain_url(answer["domains"][0]) + visit.request.get_full_path(),
            headers={"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"},
        )
    if visit.own_slug not in ("", order["storefront"]):
        order["storefront"] = None  # another one of the shop, which is not at this domain
    sentences: list[LocalizedText] = []
    if "pay" in visit.request.POST:
        outcome = card_payments.pay_by_card(visit, uri, f"/o/{token}/")
        if isinstance(outcome, HttpResponse):
            return card_payments.with_checkout(outcome)
        sentences = outcome
    accepts = visit.posted and "pay" not in visit.request.POST
    form = AcceptForm(visit.request.POST if accepts else None, initial={"key": visit.form_key})

    def accept() -> HttpResponse:
        body = {"name": form.cleaned_data["name"]}
        visit.api.ask("POST", f"{uri}accept/", body, key=key_of(form))
        return visit.go(f"/o/{token}/", done="quote-accepted")

    done, status = handle_form(form, accept) if accepts else (None, 503 if sentences else 200)
    currency = order["totals"]["currency"]
    response = done or visit.show(
        "order",
        status,
        order=order,
        path=f"/o/{token}/",
        token=token,
        form=form,
        steps=[
            (STEPS[step["name"]], step, step["at"] and datetime.fromisoformat(step["at"]))
            for step in order["steps"]
        ],
        lines=[
            {
                **line,
                "price": money_or_nothing(line["net"], currency),
                "material": ", ".join((line["material"], *line["finishes"])),
                "options": ", ".join(chosen_labels(line)),
            }
            for line in order["lines"]
        ],
        totals=total_rows(order["totals"]),
        reports=shared_reports(order["lines"], token, visit.form_key),
        has_reports=any(line["report"] for line in order["lines"]),
        is_undecided=any(line["report"] and _waits(line["report"]) for line in order["lines"]),
        payment=transfer_of(order["payment"], currency),
        documents=shared_documents(order["documents"]),
        shipments=shared_shipments(order["shipments"]),
        card_state=card_payments.RETURNED.get(card, ""),
        is_paid_now=card == "paid",
        busy=card == "open" or _is_confirming(order),
        sentences=sentences,
        quote=_quote(order["quote"], currency),
        due=order["due_date"] and datetime.fromisoformat(order["due_date"]),
    )
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "strict-origin"
    return card_payments.with_checkout(response)


def _waits(report: SharedReport) -> bool:
    """Whether the customer is to decide, and no new file is being checked."""
    decision = report["decision"]
    is_checked = decision is not None and decision["replacement"] == "processing"
    return bool(report["needs_decision"]) and not is_checked


def _is_confirming(order: SharedOrder) -> bool:
    """Whether an order was placed just now, and may be confirmed by itself in a moment."""
    placed = order["steps"][0]["at"]
    if order["status"] != "review" or placed is None:
        return False
    return timezone.now() - datetime.fromisoformat(placed) < CONFIRMED_WITHIN


def _quote(quote: SharedQuote | None, currency: str) -> Shown | None:
    """The last quote, with its times and its sum."""
    if quote is None:
        return None
    accepted = quote["accepted_at"]
    return {
        "accepted_by": quote["accepted_by"],
        "valid_until": datetime.fromisoformat(quote["valid_until"]),
        "accepted_at": accepted and datetime.fromisoformat(accepted),
        "gross": money_or_nothing(quote["totals"]["gross"], currency),
    }


def money_or_nothing(amount: float | None, currency: str) -> str:
    """An amount in words; nothing where it is not known."""
    return "" if amount is None else money(amount, currency)


def total_rows(totals: OrderTotals) -> list[tuple[Any, str, bool]]:
    """Label and amount of each total, and whether it is the last one; none while one is unknown."""
    if totals["gross"] is None:
        return []
    currency = totals["currency"]
    taxes = [(tax["rate"], tax["amount"]) for tax in totals["taxes"]]
    lines = [(_("Parts"), totals["parts"]), (_("Shipping and handling"), totals["charges"])]
    vat = [(format_lazy("{} {:g} %", _("VAT"), rate), sum) for rate, sum in taxes]
    rows = [(label, money(sum, currency), False) for label, sum in [*lines, *vat] if sum]
    return [*rows, (_("Total"), money(totals["gross"], currency), True)]
