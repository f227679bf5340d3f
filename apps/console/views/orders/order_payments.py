"""Payments of an order: record one, list and reverse them; the customer's way to pay."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any
from uuid import UUID

import segno
from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.production_status import money
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import Order, PaymentState
    from manufacturing.generated.sales import SharedPayment

MAX_PAYMENTS = 100  # that the page shows


class PaymentForm(forms.Form):
    """What came of the customer, and when."""

    amount = forms.DecimalField(label=_("Amount"), max_digits=16, decimal_places=4)
    paid_on = forms.DateField(
        label=_("Date of payment"), widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d")
    )
    note = forms.CharField(
        label=_("Note"),
        required=False,
        max_length=200,
        help_text=_("For your own people."),
    )
    key = forms.CharField(widget=forms.HiddenInput)


@page("GET", "POST")
def order_payments(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The payments of an order; POST records one, or reverses one."""
    order = visit.api.get(api_uri("order", uuid))
    visit.require("price.all", shop=order["bureau"])
    if reverses := visit.request.POST.get("reverse", ""):
        body = {"order": order["uri"], "reverses": f"{base_url('erp')}/order-payment/{reverses}/"}
        visit.make("erp", "order-payment", body, key=f"reverse {reverses}")
        return visit.go(f"{page_path(order['uri'])}payments/", done="payment-reversed")
    rows = visit.api.list(
        "erp",
        "/order-payment/",
        **{"filter[order]": order["uri"], "sort": "-created", "page[limit]": MAX_PAYMENTS},
    )["resources"]
    state = order["payment"]
    rest = (state or {}).get("open")
    currency = order["currency"] or ""
    form = PaymentForm(
        visit.request.POST if visit.posted else None,
        initial={
            "key": visit.form_key,
            "amount": rest if rest and rest > 0 else None,
            "paid_on": timezone.now().date(),
        },
    )

    def record() -> HttpResponse:
        values = form.cleaned_data
        body = {
            "order": order["uri"],
            "amount": float(values["amount"]),
            "paid_on": values["paid_on"].isoformat(),
            "note": values["note"],
        }
        visit.make("erp", "order-payment", body, key=key_of(form))
        return visit.go(order["uri"], done="payment-recorded")

    done, status = handle_form(form, record) if visit.posted else (None, 200)
    undone = {row["reverses"] for row in rows}
    refunded = {row["refunds"] for row in rows}
    return done or visit.show(
        "order-payments",
        status,
        order={**order, "path": page_path(order["uri"])},
        form=form,
        payment=payment_of(order),
        payments=[
            {
                **row,
                "uuid": uuid_of(row["uri"]),
                "amount": money(row["amount"], row["currency"] or currency),
                "may_reverse": not row["reverses"]
                and not row["refunds"]
                and row["uri"] not in undone | refunded,
                "paid_on": date.fromisoformat(row["paid_on"]),
                "is_undone": row["uri"] in undone,
            }
            for row in rows
        ],
    )


def payment_of(order: Order) -> Context | None:
    """How far an order is paid, in words; None where the person does not see it."""
    state = order["payment"]
    if state is None:
        return None
    currency = order["currency"] or ""
    return {
        "is_paid": state["status"] == "paid",
        "rows": payment_rows(state, currency),
    }


def payment_rows(state: PaymentState | SharedPayment, currency: str) -> list[tuple[Any, str]]:
    """Label and amount of what is paid and open; one that is 0 is left out."""
    rest = state["open"] or 0
    rows = [(_("Paid"), state["paid"]), (_("Amount due"), max(rest, 0)), (_("Overpaid"), -rest)]
    return [(label, money(amount, currency)) for label, amount in rows if amount > 0]


def transfer_of(payment: SharedPayment | None, currency: str) -> Context | None:
    """How a customer pays an order: amount, account in groups of four, QR code."""
    if payment is None:
        return None
    account = payment["account"]
    return {
        "is_paid": payment["status"] == "paid",
        "rows": payment_rows(payment, currency),
        "reference": payment["reference"],
        "due": payment["due"] and date.fromisoformat(payment["due"]),
        "account": account and {**account, "iban": _in_groups(account["iban"])},
        "prepayment": payment["prepayment"],
        "card": payment["card"],
        "qr": _qr(payment["epc"]) if payment["epc"] else "",
    }


def _in_groups(iban: str) -> str:
    return " ".join(iban[at : at + 4] for at in range(0, len(iban), 4))


def _qr(content: str) -> SafeString:
    """The QR code of a transfer as SVG, with error correction M as EPC069-12 asks."""
    code = segno.make_qr(content.encode(), error="m", boost_error=False)
    return mark_safe(code.svg_inline(omitsize=True))  # noqa: S308
