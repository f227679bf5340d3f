"""Settings of the current shop: profile and brand."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.views.base.page import PageContext, handle_form
from apps.console.views.base.page_urls import page_path
from apps.console.views.generic.resources import common
from core.web.internal_client import ApiClient, ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau

DEFAULT_ACCENT = "#2557d6"  # as in ui.css
MAX_LOGO_BYTES = 1024**2
INVOICES = [
    ("never", _("By hand")),
    ("confirmed", _("When the order is confirmed")),
    ("shipped", _("When the whole order is shipped")),
]
LANGUAGES = [("", _("Language of the customer's browser")), ("en", "English"), ("de", "Deutsch")]


class ShopProfileForm(forms.Form):
    """What the shop is called, and how customers reach it."""

    name = forms.CharField(label=_("Shop name"), max_length=200)
    email = forms.EmailField(label=_("E-mail for customers"), required=False)
    phone = forms.CharField(
        label=_("Phone"), max_length=200, required=False, widget=forms.TextInput({"type": "tel"})
    )
    website = forms.CharField(
        label=_("Website"),
        max_length=2048,
        required=False,
        widget=forms.TextInput({"type": "url", "placeholder": "https://"}),
    )
    currency = forms.CharField(
        label=_("Currency"),
        min_length=3,
        max_length=3,
        help_text=_("ISO 4217 code, e.g. EUR."),
    )
    electricity_price = forms.FloatField(
        label=_("Electricity price per kWh"),
        required=False,
        min_value=0,
        help_text=_(
            "In the currency of the shop. With the power of a printer type it is in the "
            "cost of parts."
        ),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        choices=LANGUAGES,
        required=False,
    )
    address = forms.CharField(
        label=_("Address"), required=False, widget=forms.Textarea({"rows": 3}), max_length=10_000
    )
    vat_number = forms.CharField(
        label=_("VAT number"),
        max_length=200,
        required=False,
        help_text=_("VAT or tax number. Invoices must have it."),
    )
    legal_notice = forms.CharField(
        label=_("Legal notice"),
        required=False,
        widget=forms.Textarea({"rows": 2}),
        max_length=500,
        help_text=_("At the foot of documents: register, managers."),
    )
    description = forms.CharField(
        label=_("Description"),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        max_length=10_000,
        help_text=_("For your own people."),
    )

    def save(self, api: ApiClient, uri: str) -> None:
        """Change the shop."""
        api.ask("PUT", uri, self.cleaned_data)


class BrandForm(forms.Form):
    """How the shop looks to customers and to its own people."""

    logo = forms.FileField(
        label=_("Logo"),
        required=False,
        widget=forms.FileInput({"accept": "image/png,image/jpeg,image/webp"}),
        help_text=_("PNG, JPEG or WebP, at least 512 × 512 px, at most 1 MB."),
    )
    remove_logo = forms.BooleanField(label=_("Remove logo"), required=False)
    accent = forms.CharField(
        label=_("Accent colour"),
        max_length=7,
        widget=forms.TextInput({"type": "color"}),
    )
    introduction = forms.CharField(
        label=_("Introduction"),
        required=False,
        widget=forms.Textarea({"rows": 3}),
        max_length=1000,
        help_text=_("One or two sentences for customers."),
    )

    def clean_logo(self) -> UploadedFile | None:
        """Refuse what the API would not read: a whole request has at most 4 MiB."""
        logo: UploadedFile | None = self.cleaned_data["logo"]
        if logo and (logo.size or 0) > MAX_LOGO_BYTES:
            raise forms.ValidationError(_("The logo is larger than 1 MB. Choose a smaller file."))
        return logo

    def save(self, api: ApiClient, uri: str) -> None:
        """Change the shop, and set or delete its logo."""
        entries = self.cleaned_data
        is_default = entries["accent"].lower() == DEFAULT_ACCENT
        accent = None if is_default else entries["accent"]
        api.ask("PUT", uri, {"accent": accent, "introduction": entries["introduction"]})
        if entries["logo"]:
            self._set_logo(api, uri, base64.b64encode(entries["logo"].read()).decode())
        elif entries["remove_logo"]:
            api.ask("DELETE", f"{uri}logo/")

    def _set_logo(self, api: ApiClient, uri: str, content: str) -> None:
        try:
            api.ask("PUT", f"{uri}logo/", {"content": content})
        except ApiError as declined:
            for error in declined.errors:
                error["field"] = "logo"
            raise


class DocumentsForm(forms.Form):
    """Which documents are issued without a person."""

    automatic_quotes = forms.BooleanField(
        label=_("Issue quotes"),
        required=False,
        help_text=_("Each quote is a PDF with a number, which its e-mail links."),
    )
    automatic_invoices = forms.ChoiceField(
        label=_("Issue invoices"),
        choices=INVOICES,
        help_text=_(
            "One invoice of each order. Where something is missing, such as a tax, you are "
            "notified instead."
        ),
    )

    def save(self, api: ApiClient, uri: str) -> None:
        """Change the shop."""
        api.ask("PUT", uri, self.cleaned_data)


def shop_forms(visit: PageContext, shop: Bureau) -> HttpResponse:
    """The page with its forms; a form that is sent changes the shop."""
    values: Context = {name: value or "" for name, value in shop.items()}
    values["accent"] = shop["accent"] or DEFAULT_ACCENT
    is_brand = "accent" in visit.request.POST
    is_documents = "automatic_invoices" in visit.request.POST
    is_profile = visit.posted and not is_brand and not is_documents
    profile = ShopProfileForm(visit.request.POST if is_profile else None, initial=values)
    documents = DocumentsForm(visit.request.POST if is_documents else None, initial=values)
    files = visit.request.FILES if is_brand else None
    brand = BrandForm(visit.request.POST if is_brand else None, files, initial=values)
    sent = brand if is_brand else documents if is_documents else profile

    def save() -> HttpResponse:
        sent.save(visit.api, shop["uri"])
        return visit.go("/settings/", done="saved")

    done, status = handle_form(sent, save) if visit.posted else (None, 200)
    if done:
        return done
    path = page_path(shop["uri"])
    return visit.show(
        "settings-shop",
        status,
        **common(visit, BY_NAME["bureau"]),
        shop=shop,
        path=path,
        profile=profile,
        brand=brand,
        documents=documents,
        may_delete=visit.api.may("DELETE", shop["uri"]),
    )
