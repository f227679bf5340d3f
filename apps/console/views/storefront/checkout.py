"""Checkout of a storefront: who orders, and where the parts go."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import orjson
from babel import Locale
from django import forms
from django.http import HttpResponse, QueryDict
from django.utils import timezone, translation
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from apps.console.domain.message_labels import LANGUAGES
from apps.console.domain.messages import Shown
from apps.console.views.base.page import handle_form, key_of, page
from apps.console.views.base.store_context import VisitContext
from apps.console.views.storefront.visit_parts import cart_of, models_of

if TYPE_CHECKING:
    from manufacturing.generated.sales import CustomerAccount

ADDRESS = ("street", "postcode", "city", "country")
# Codes of Unicode's list that are of unions, of oceans, of tests and of nothing.
NO_COUNTRIES = ("EU", "EZ", "QO", "UN", "XA", "XB", "ZZ")


def countries() -> list[tuple[str, str]]:
    """Codes and names of the countries in the language of the page, by name."""
    names = Locale.parse(translation.get_language() or "en", sep="-").territories
    states = [
        (code, name)
        for code, name in names.items()
        if len(code) == 2 and code.isalpha() and code not in NO_COUNTRIES
    ]
    return sorted(states, key=lambda state: state[1])


def address_fields(token: str = "", *, required: bool) -> dict[str, forms.Field]:
    """Return the form fields of an address, by the names that it has in the API.

    token : how browsers tell addresses of a page apart: shipping or billing
    """
    texts = (
        ("street", _("Street"), 200, "street-address"),
        ("postcode", _("Postal code"), 20, "postal-code"),
        ("city", _("City"), 200, "address-level2"),
    )
    fields: dict[str, forms.Field] = {
        name: forms.CharField(
            label=label,
            max_length=limit,
            required=required,
            widget=forms.TextInput({"autocomplete": f"{token} {autocomplete}".strip()}),
        )
        for name, label, limit, autocomplete in texts
    }
    fields["country"] = forms.ChoiceField(
        label=_("Country"),
        choices=countries,
        required=required,
        widget=forms.Select({"autocomplete": f"{token} country".strip()}),
    )
    return fields


class CheckoutForm(forms.Form):
    """Who orders, and where the parts go."""

    email = forms.EmailField(
        label=_("E-mail"),
        help_text=_("For the link of the order and messages about it. No account is created."),
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    name = forms.CharField(
        label=_("Name"), max_length=200, widget=forms.TextInput({"autocomplete": "name"})
    )
    company = forms.CharField(
        label=_("Company"),
        max_length=200,
        required=False,
        widget=forms.TextInput({"autocomplete": "organization"}),
    )
    vat_number = forms.CharField(label=_("VAT ID"), max_length=32, required=False)
    street, postcode, city, country = address_fields(required=True).values()
    needed_by = forms.DateField(
        label=_("Needed by"),
        required=False,
        help_text=_("A wish: it changes no price."),
        widget=forms.DateInput({"type": "date"}, format="%Y-%m-%d"),
    )
    is_late_accepted = forms.BooleanField(
        label=_("Order although the parts are ready later"), required=False
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None = None, *, ready: str = "", initial: Shown):
        """`ready`: the ISO date by which the parts are ready, or nothing."""
        super().__init__(data, initial=initial)
        billing = address_fields("billing", required=False)
        self.fields |= {f"billing_address.{name}": field for name, field in billing.items()}
        self.ready = ready
        self.is_late = False

    def clean_needed_by(self) -> date | None:
        """Refuse a day that is over, and one before the parts are ready unless that is accepted."""
        day: date | None = self.cleaned_data["needed_by"]
        if day and day < timezone.now().date():
            raise forms.ValidationError(_("This date is in the past."))
        self.is_late = bool(day and self.ready and day.isoformat() < self.ready)
        if self.is_late and not self.data.get("is_late_accepted"):
            ready = date_format(date.fromisoformat(self.ready), "SHORT_DATE_FORMAT")
            raise forms.ValidationError(
                _("Ready by about %(day)s, later than this date."), params={"day": ready}
            )
        return day

    def billing_fields(self) -> list[forms.BoundField]:
        """The fields of the billing address."""
        return [self[f"billing_address.{name}"] for name in ADDRESS]

    @property
    def has_billing_address(self) -> bool:
        """Whether the billing address has any text, or an error."""
        return any(
            (field.value() and not field.name.endswith(".country")) or field.errors
            for field in self.billing_fields()
        )

    def request(self) -> Shown:
        """The members of a request for the order."""
        data = self.cleaned_data
        address = {name: data[name] for name in ADDRESS}
        optional = {name: data[name] for name in ("company", "vat_number", "note") if data[name]}
        if data["needed_by"]:
            optional["needed_by"] = data["needed_by"].isoformat()
        if self.has_billing_address:
            billing = {name: data[f"billing_address.{name}"] for name in ADDRESS}
            optional["billing_address"] = billing
        language = translation.get_language() or ""
        if language in LANGUAGES:
            optional["language"] = language
        return {"name": data["name"], "email": data["email"], "address": address, **optional}


def checkout_values(account: CustomerAccount) -> Shown:
    """Return what the checkout form is filled with for a customer."""
    values: Shown = {name: account[name] or "" for name in ("name", "company", "vat_number")}
    values["email"] = account["email"]
    delivery, billing = account["delivery_address"], account["billing_address"]
    if billing and delivery and billing != delivery:
        values |= {f"billing_address.{name}": text for name, text in billing.items()}
    return values | dict(delivery or billing or {})


@page("GET", "POST", context=VisitContext)
def checkout(visit: VisitContext, slug: str) -> HttpResponse:
    """Address and order."""
    front = visit.visit_storefront(slug)
    # A form that is sent again leads to the order that it has placed.
    if visit.visit is None or not (visit.posted or visit.visit["cart"]):
        return visit.go(f"/s/{slug}/")
    country = front["country"] or "DE"
    initial: Shown = {"key": visit.form_key, "country": country, "billing_address.country": country}
    if visit.account is not None:
        initial |= checkout_values(visit.account)
    cart = cart_of(visit, models_of(visit))
    data = visit.request.POST if visit.posted else None
    form = CheckoutForm(data, ready=cart["ready_on"] if cart else "", initial=initial)

    def order() -> HttpResponse:
        answer = visit.api.ask("POST", f"{visit.visit_uri}order/", form.request(), key=key_of(form))
        placed = orjson.loads(answer.content)
        if visit.is_framed:
            return visit.show("placed", placed=placed)
        done = "ordered-mailed" if placed["mailed"] else "ordered-here"
        return visit.go(placed["link"], done=done)

    done, status = handle_form(form, order)
    return done or visit.show("checkout", status, form=form, cart=cart)
