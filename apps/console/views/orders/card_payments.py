"""Card payments: the payment settings of a shop, and the customer's way to Stripe and back."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import orjson
from django import forms
from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, LocalizedText, error_message
from apps.console.domain.roles import OWNING
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import page_path, uuid_of
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.views.base.store_context import StoreContext
    from manufacturing.generated.erp import Bureau, CardAccount

PATH = "/settings/payments/"
EVENTS = (
    "checkout.session.completed",
    "checkout.session.async_payment_succeeded",
    "checkout.session.async_payment_failed",
    "charge.refunded",
)
RETURNED = {
    "open": _("The payment is not confirmed yet. This page is updated as soon as it is."),
    "pending": _("The payment is being processed. That can take some days."),
}


class CardAccountForm(forms.Form):
    """The keys of the Stripe account; those that are set are never shown."""

    secret_key = forms.CharField(
        label=_("Secret key"),
        max_length=255,
        required=False,
        widget=forms.PasswordInput({"autocomplete": "off", "placeholder": "sk_live_…"}),
    )
    webhook_secret = forms.CharField(
        label=_("Signing secret of the webhook"),
        max_length=255,
        required=False,
        widget=forms.PasswordInput({"autocomplete": "off", "placeholder": "whsec_…"}),
    )
    enabled = forms.BooleanField(label=_("Customers can pay by card"), required=False)

    def body(self) -> dict[str, object]:
        """The request body: secrets that were left empty stay as they are."""
        values = self.cleaned_data
        secrets = {name: values[name] for name in ("secret_key", "webhook_secret")}
        return {"enabled": values["enabled"]} | {k: v for k, v in secrets.items() if v}


@page("GET", "POST")
def payment_settings(visit: PageContext) -> HttpResponse:
    """Bank account and Stripe account of the shop; POST saves, tests or removes the keys."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.shop is None:
        return visit.go("/bureau/")
    shop = visit.shop
    visit.require("price.all")
    if visit.posted:
        visit.require(OWNING)
    rows: list[CardAccount] = visit.all_of("card-account", bureau=shop["uri"])
    account = rows[0] if rows else None
    action = visit.request.POST.get("action", "")
    if action == "remove" and account:
        visit.api.ask("DELETE", account["uri"])
        return visit.go(PATH, done="card-account-removed")
    form = CardAccountForm(
        visit.request.POST if action == "save" else None,
        initial={"enabled": account["enabled"] if account else False},
    )
    if account is None:
        form.fields["secret_key"].required = True

    def save() -> HttpResponse:
        if account:
            visit.api.ask("PUT", account["uri"], form.body())
        else:
            body = {"bureau": shop["uri"], **form.body()}
            visit.api.ask("POST", f"{base_url('erp')}/card-account/", body)
        return visit.go(PATH, done="saved")

    done, status = handle_form(form, save) if action == "save" else (None, 200)
    result = _result(visit, account, shop) if action == "test" and account else None
    return done or _settings_page(visit, status, form=form, account=account, result=result)


def _settings_page(visit: PageContext, status: int, **context: object) -> HttpResponse:
    shop: Bureau | None = visit.shop
    uri = shop["uri"] if shop else ""
    banks = visit.all_of("bank-account", bureau=uri)
    return visit.show(
        "payment-settings",
        status,
        entries=settings_entries("payments", visit.rights),
        shop=shop,
        banks=[{**row, "path": page_path(row["uri"])} for row in banks],
        may_change=OWNING in visit.rights,
        webhook_url=f"{base_url('sales')}/stripe/{uuid_of(uri)}/",
        events=EVENTS,
        **context,
    )


def _result(visit: PageContext, account: CardAccount, shop: Bureau) -> Context:
    """What Stripe answers to the keys."""
    answer = orjson.loads(visit.api.ask("POST", f"{account['uri']}test/").content)
    return {
        **answer,
        "currencies": ", ".join(answer["currencies"]),
        "converts": bool(answer["currencies"]) and shop["currency"] not in answer["currencies"],
    }


# ---------------------------------------------------------------- customers


def pay_by_card(visit: StoreContext, uri: str, path: str) -> HttpResponse | list[LocalizedText]:
    """Lead a customer to Stripe's page; the sentences of a refusal where that is not possible.

    uri, path : of the order by its share link, in the API and on these pages
    """
    try:
        answer = visit.api.ask("POST", f"{uri}card-payment/")
    except ApiError as declined:
        codes = {error["code"] for error in declined.errors}
        if codes & {"nothing-open", "card-payment-pending"}:  # paid meanwhile, as on another page
            return visit.go(path)
        return [error_message(error) for error in declined.errors]
    url = str(orjson.loads(answer.content)["url"])
    parts = urlsplit(url)
    if f"{parts.scheme}://{parts.netloc}" != settings.STRIPE_CHECKOUT:
        raise ValueError("The page of the payment provider has another origin than it should.")
    response = HttpResponseRedirect(url)
    response.status_code = 303
    return response


def refresh_card_payment(visit: StoreContext, uri: str) -> str:
    """Ask for the state of the card payment of a customer who has come back from Stripe."""
    with suppress(ApiError):
        answer = visit.api.ask("POST", f"{uri}card-payment/refresh/")
        return str(orjson.loads(answer.content)["status"])
    return ""


def with_checkout(response: HttpResponse) -> HttpResponse:
    """Let forms of a page lead to Stripe's."""
    policy = response.headers.get("Content-Security-Policy", "")
    allowed = policy.replace("form-action ", f"form-action {settings.STRIPE_CHECKOUT} ")
    response["Content-Security-Policy"] = allowed
    return response
