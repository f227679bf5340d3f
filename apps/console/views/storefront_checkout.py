"""Checkout of a storefront: who orders, and where the parts go."""

from __future__ import annotations

import orjson
from babel import Locale
from django import forms
from django.http import HttpResponse
from django.utils import translation
from django.utils.translation import gettext_lazy as _

from apps.console.domain.message_labels import LANGUAGES
from apps.console.domain.messages import Shown
from apps.console.views.page import handle_form, key_of, page
from apps.console.views.store_context import VisitContext
from apps.console.views.storefront_parts import cart_of, models_of

# Codes of Unicode's list that are of unions, of oceans, of tests and of nothing.
NO_COUNTRIES = ("EU", "EZ", "QO", "UN", "XA", "XB", "ZZ")


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
    street = forms.CharField(
        label=_("Street"),
        max_length=200,
        widget=forms.TextInput({"autocomplete": "street-address"}),
    )
    postcode = forms.CharField(
        label=_("Postal code"),
        max_length=20,
        widget=forms.TextInput({"autocomplete": "postal-code"}),
    )
    city = forms.CharField(
        label=_("City"), max_length=200, widget=forms.TextInput({"autocomplete": "address-level2"})
    )
    country = forms.ChoiceField(
        label=_("Country"),
        choices=lambda: countries(),
        widget=forms.Select({"autocomplete": "country"}),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def request(self) -> Shown:
        """The members of a request for the order."""
        data = self.cleaned_data
        address = {name: data[name] for name in ("street", "postcode", "city", "country")}
        optional = {name: data[name] for name in ("company", "vat_number", "note") if data[name]}
        language = translation.get_language() or ""
        if language in LANGUAGES:
            optional["language"] = language
        return {"name": data["name"], "email": data["email"], "address": address, **optional}


def countries() -> list[tuple[str, str]]:
    """Codes and names of the countries in the language of the page, by name."""
    names = Locale.parse(translation.get_language() or "en", sep="-").territories
    states = [
        (code, name)
        for code, name in names.items()
        if len(code) == 2 and code.isalpha() and code not in NO_COUNTRIES
    ]
    return sorted(states, key=lambda state: state[1])


@page("GET", "POST", context=VisitContext)
def checkout(visit: VisitContext, slug: str) -> HttpResponse:
    """Address and order."""
    front = visit.visit_storefront(slug)
    # A form that is sent again leads to the order that it has placed.
    if visit.visit is None or not (visit.posted or visit.visit["cart"]):
        return visit.go(f"/s/{slug}/")
    initial = {"key": visit.form_key, "country": front["country"] or "DE"}
    form = CheckoutForm(visit.request.POST if visit.posted else None, initial=initial)

    def order() -> HttpResponse:
        answer = visit.api.ask("POST", f"{visit.visit_uri}order/", form.request(), key=key_of(form))
        placed = orjson.loads(answer.content)
        done = "ordered-mailed" if placed["mailed"] else "ordered-here"
        return visit.go(placed["link"], done=done)

    done, status = handle_form(form, order)
    return done or visit.show("checkout", status, form=form, cart=cart_of(visit, models_of(visit)))
