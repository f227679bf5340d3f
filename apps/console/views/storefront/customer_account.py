"""Account of a shop's customer: sign-in, orders, parts, addresses."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

import orjson
from django import forms
from django.http import HttpResponse, QueryDict
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from apps.console.domain.message_labels import LANGUAGES
from apps.console.domain.messages import Shown
from apps.console.views.base.page import handle_form, page
from apps.console.views.base.store_context import VisitContext
from apps.console.views.orders.order_documents import shared_documents
from apps.console.views.storefront.checkout import ADDRESS, address_fields
from apps.console.views.storefront.order_link import STEPS, money_or_nothing
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.sales import (
        CustomerAccount,
        CustomerApproval,
        CustomerApprovals,
        CustomerOrder,
        CustomerOrders,
        CustomerParts,
    )


APPROVER = "approver"


class SignInLinkForm(forms.Form):
    """Whom a sign-in link is mailed to."""

    email = forms.EmailField(
        label=_("E-mail"), widget=forms.EmailInput({"autocomplete": "username"})
    )


class CustomerSignInForm(SignInLinkForm):
    """Sign-in by a password."""

    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput({"autocomplete": "current-password"})
    )


class DetailsForm(forms.Form):
    """Name, addresses and password of a customer."""

    name = forms.CharField(
        label=_("Name"),
        max_length=200,
        required=False,
        widget=forms.TextInput({"autocomplete": "name"}),
    )
    company = forms.CharField(
        label=_("Company"),
        max_length=200,
        required=False,
        widget=forms.TextInput({"autocomplete": "organization"}),
    )
    vat_number = forms.CharField(label=_("VAT ID"), max_length=32, required=False)
    password = forms.CharField(
        label=_("New password"),
        required=False,
        help_text=_("Leave it empty to keep the sign-in as it is."),
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
    current_password = forms.CharField(
        label=_("Current password"),
        required=False,
        widget=forms.PasswordInput({"autocomplete": "current-password"}),
    )

    def __init__(self, data: QueryDict | None, *, account: CustomerAccount, country: str):
        initial: Shown = {name: account[name] for name in ("name", "company", "vat_number")}
        for group in ("delivery_address", "billing_address"):
            address = account[group] or {"country": country}
            initial |= {f"{group}.{name}": text for name, text in address.items()}
        super().__init__(data, initial=initial)
        for group, token in (("delivery_address", "shipping"), ("billing_address", "billing")):
            fields = address_fields(token, required=False)
            self.fields |= {f"{group}.{name}": field for name, field in fields.items()}
        if not account["has_password"]:
            del self.fields["current_password"]

    def groups(self) -> list[tuple[object, list[forms.BoundField]]]:
        """Title and fields of each section."""
        contact = [self["name"], self["company"], self["vat_number"]]
        password = [self[name] for name in ("password", "current_password") if name in self.fields]
        return [
            (_("Contact"), contact),
            (_("Delivery address"), self._address("delivery_address")),
            (_("Billing address"), self._address("billing_address")),
            (_("Password"), password),
        ]

    def _address(self, group: str) -> list[forms.BoundField]:
        return [self[f"{group}.{name}"] for name in ADDRESS]

    def body(self) -> Shown:
        """The body of the request: an address without any text is none."""
        data = self.cleaned_data
        body: Shown = {name: data[name] for name in ("name", "company", "vat_number")}
        for group in ("delivery_address", "billing_address"):
            lines = {name: data[f"{group}.{name}"] for name in ADDRESS}
            is_empty = not any(lines[name] for name in ADDRESS if name != "country")
            body[group] = None if is_empty else lines
        for name in ("password", "current_password"):
            if data.get(name):
                body[name] = data[name]
        return body


@page("GET", "POST", context=VisitContext)
def account(visit: VisitContext, slug: str) -> HttpResponse:
    """Orders and parts of the customer; without a session, the sign-in."""
    visit.visit_storefront(slug)
    if visit.account is None or visit.customer is None:
        return _sign_in(visit, slug)
    uri = visit.account["uri"]
    orders: CustomerOrders = visit.customer.get(f"{uri}orders/")
    parts: CustomerParts = visit.customer.get(f"{uri}parts/")
    response = visit.show(
        "account",
        account=visit.account,
        orders=[_shown_order(order) for order in orders["orders"]],
        parts=parts["parts"],
        approvals=[_shown_approval(each) for each in _approvals(visit, uri)],
        key=visit.form_key,
    )
    response["X-Robots-Tag"] = "noindex"
    return response


def _approvals(visit: VisitContext, uri: str) -> list[CustomerApproval]:
    """What waits for the customer; only approvers of a company have any."""
    membership = visit.account and visit.account["membership"]
    if visit.customer is None or not membership or membership["role"] != APPROVER:
        return []
    answer: CustomerApprovals = visit.customer.get(f"{uri}approvals/")
    return answer["approvals"]


def _shown_approval(row: CustomerApproval) -> Shown:
    return {
        **row,
        "created": datetime.fromisoformat(row["created"]),
        "amount": money_or_nothing(row["amount"], row["currency"]),
    }


@page("POST", context=VisitContext)
def approval(visit: VisitContext, slug: str, uuid: UUID) -> HttpResponse:
    """Approves or declines an order of the customer's company."""
    visit.visit_storefront(slug)
    if visit.account is None or visit.customer is None:
        return visit.go(f"/s/{slug}/account/")
    data = visit.request.POST
    body = {"decision": data.get("decision", ""), "note": data.get("note", "")}
    visit.customer.ask("POST", f"{visit.account['uri']}approvals/{uuid}/decision/", body)
    return visit.go(f"/s/{slug}/account/", done=f"order-{body['decision']}")


def _shown_order(order: CustomerOrder) -> Shown:
    totals = order["totals"]
    return {
        **order,
        "label": STEPS[order["status"]],
        "created": datetime.fromisoformat(order["created"]),
        "gross": money_or_nothing(totals["gross"], totals["currency"]),
        "is_open_quote": order["status"] == "quote",
        "documents": shared_documents(order["documents"]),
    }


def _sign_in(visit: VisitContext, slug: str) -> HttpResponse:
    by_password = "password" in visit.request.POST
    data = visit.request.POST if visit.posted else None
    form = CustomerSignInForm(data if by_password else None)
    link_form = SignInLinkForm(None if by_password else data, auto_id="link_%s")
    uri = f"{base_url('sales')}/customer-account/"

    def sign_in() -> HttpResponse:
        body = {"storefront": slug, **form.cleaned_data}
        session = orjson.loads(visit.public.ask("POST", f"{uri}sign-in/", body).content)
        return visit.remember(visit.go(f"/s/{slug}/account/"), session)

    def mail() -> HttpResponse:
        language = translation.get_language() or ""
        body = {"storefront": slug, **link_form.cleaned_data}
        body |= {"language": language} if language in LANGUAGES else {}
        visit.public.ask("POST", f"{uri}sign-in-link/", body)
        return visit.go(f"/s/{slug}/account/", done="sign-in-link")

    done, status = handle_form(form, sign_in) if by_password else handle_form(link_form, mail)
    return done or visit.show("account-sign-in", status, form=form, link_form=link_form)


@page("GET", "POST", context=VisitContext)
def link(visit: VisitContext, slug: str, token: str) -> HttpResponse:
    """Sign-in by a mailed link: its button alone acts, since mail scanners open links."""
    visit.visit_storefront(slug)
    if not visit.posted:
        response = visit.show("account-link")
        response["X-Robots-Tag"] = "noindex"
        return response
    uri = f"{base_url('sales')}/customer-account/sign-in-by-link/"
    answer = visit.public.ask("POST", uri, {"token": token})
    return visit.remember(visit.go(f"/s/{slug}/account/"), orjson.loads(answer.content))


@page("GET", "POST", context=VisitContext)
def details(visit: VisitContext, slug: str) -> HttpResponse:
    """Name, addresses, VAT number and password of the customer."""
    front = visit.visit_storefront(slug)
    row, customer = visit.account, visit.customer
    if row is None or customer is None:
        return visit.go(f"/s/{slug}/account/")
    form = DetailsForm(
        visit.request.POST if visit.posted else None,
        account=row,
        country=front["country"] or "DE",
    )

    def change() -> HttpResponse:
        customer.ask("PUT", row["uri"], form.body())
        return visit.go(f"/s/{slug}/account/details/", done="saved")

    done, status = handle_form(form, change)
    return done or visit.show("account-details", status, form=form)


@page("POST", context=VisitContext)
def sign_out(visit: VisitContext, slug: str) -> HttpResponse:
    """Ends the session of the customer."""
    visit.visit_storefront(slug)
    if visit.account is not None and visit.customer is not None:
        visit.customer.ask("POST", f"{visit.account['uri']}sign-out/")
    return visit.forget_customer(visit.go(f"/s/{slug}/account/"))
