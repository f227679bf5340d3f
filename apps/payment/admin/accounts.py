"""Admin: prices, consents and payment methods."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.payment.models import Consent, PaymentMethod, Price
from apps.payment.services import methods
from core import uris
from core.auth_user import admin_user
from core.money import UnknownCurrency, minor_digits
from core.web.admin_base import BasePage, ReadOnlyPage


class PriceForm(forms.ModelForm):
    """A price, with its currency and its action checked."""

    class Meta:
        model = Price
        fields = ["namespace", "action", "service", "amount", "currency"]

    def clean_currency(self) -> str:
        code = self.cleaned_data["currency"].upper()
        try:
            minor_digits(code)
        except UnknownCurrency as error:
            raise forms.ValidationError(str(error)) from error
        return code

    def clean_service(self) -> str:
        return uris.canonical(self.cleaned_data["service"])


@admin.register(Price)
class PriceAdmin(BasePage):
    """Prices: set here, or over the API."""

    form = PriceForm
    list_display = ["namespace", "action", "service", "amount", "currency", "created", "deleted"]
    list_filter = ["namespace", "currency", "created", "deleted"]
    search_fields = ["uuid", "namespace", "action", "service"]
    ordering = ["-uuid"]
    actions = ["end"]

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    @admin.action(description="Deactivate prices", permissions=["act"])
    def end(self, request: HttpRequest, chosen: QuerySet[Price]) -> None:
        for price in chosen.filter(deleted=None):
            price.put_away()


@admin.register(Consent)
class ConsentAdmin(ReadOnlyPage):
    """Consents, read only: users give and withdraw them."""

    list_display = [
        "uuid",
        "owner",
        "namespace",
        "action",
        "consented",
        "per_charge",
        "per_month",
        "cost_centre",
    ]
    list_filter = ["namespace", "consented", "created", "deleted"]
    search_fields = ["uuid", "owner__username", "action", "cost_centre"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]


@admin.register(PaymentMethod)
class PaymentMethodAdmin(BasePage):
    """Methods of payment: the manual ones are set here."""

    list_display = ["uuid", "owner", "type", "status", "created", "deleted"]
    list_filter = ["type", "status", "created", "deleted"]
    search_fields = ["uuid", "owner__username", "customer"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    autocomplete_fields = ["owner"]
    actions = ["end"]

    def get_fields(self, request: HttpRequest, obj: object = None) -> Any:
        return ["owner"] if obj is None else super().get_fields(request, obj)

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: PaymentMethod, form: Any, change: Any) -> None:
        manual = PaymentMethod.Type.MANUAL
        obj.pk = methods.create(actor=admin_user(request), owner=obj.owner, type=manual).pk

    @admin.action(description="Disable selected payment methods", permissions=["act"])
    def end(self, request: HttpRequest, chosen: QuerySet[PaymentMethod]) -> None:
        for method in chosen.filter(deleted=None):
            method.put_away()
        messages.success(request, "Deactivated.")
