"""Admin: price lists, edited as a document and validated on saving; price tables."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest
from django.utils.html import format_html_join

from apps.erp.base.admin.resources import RowAdmin, page_of
from apps.erp.orders.models.prices import PriceList, PriceTable
from apps.erp.orders.services import price_lists
from core.auth_user import Person, admin_user
from core.errors import InvalidFields


class DocumentForm(forms.ModelForm):
    """A list's terms as one text: JSON, with the names of materials and the like."""

    actor: Person
    document = forms.JSONField(widget=forms.Textarea(attrs={"rows": 30, "cols": 100}))

    class Meta:
        model = PriceList
        fields: list[str] = []

    def __init__(self, *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        terms = price_lists.document_of(self.instance)["terms"]
        self.initial.setdefault("document", terms)

    def clean_document(self) -> Any:
        """Refuse what cannot mean a price, before anything is kept."""
        given = self.cleaned_data["document"]
        if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
            raise forms.ValidationError("Write a list of terms.")
        try:
            with transaction.atomic():
                price_lists.replace(actor=self.actor, row=self.instance, terms=given)
        except InvalidFields as rejection:
            raise forms.ValidationError([fault.title for fault in rejection.faults]) from None
        return given


class PriceListAdmin(RowAdmin):
    """Price lists: their terms can be edited here, and are tried on saving; price tables."""

    form = DocumentForm
    readonly_fields = [
        *("uri", "name", "bureau", "country", "language", "is_default", "since", "includes_tax"),
        *("percentages", "max_size", "max_weight", "prices"),
    ]
    fields = [*readonly_fields, "document"]

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return self.has_act_permission(request)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: Any = None, **options: Any
    ) -> Any:
        form = super().get_form(request, obj, bool(change), **options)
        return type(form.__name__, (form,), {"actor": admin_user(request)})

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: Any) -> None:
        obj.refresh_from_db()  # it was replaced and tried as the form was read
        for each in obj.warnings:
            messages.warning(request, f"{each['term'] or 'The list'}: {each['title']}")

    @admin.display(description="preview on sample parts and recent orders")
    def prices(self, row: PriceList) -> str:
        cells = (
            (
                each["part"],
                each["quantity"],
                "-" if each["net"] is None else each["net"],
                "-" if each["before"] is None else each["before"],
                " ".join(each["review"]),
            )
            for each in row.tried
        )
        return format_html_join("", "{} x {}: {} (before: {}) {}<br>", cells)


admin.site.register(PriceList, page_of(PriceList, PriceListAdmin))
admin.site.register(PriceTable, page_of(PriceTable))
