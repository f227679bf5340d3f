"""Admin: providers, services and operations."""

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html

from apps.integrations.domain.outputs import outputs_of
from apps.integrations.domain.schemas import fault_of_schema
from apps.integrations.models import Operation, Service
from apps.integrations.services import operations
from core.outbound import url_policy
from core.web.admin_base import BasePage, ReadOnlyPage


class ServiceForm(forms.ModelForm):
    """A service, with its URL and its schema checked."""

    class Meta:
        model = Service
        fields = [
            "name",
            "description",
            "type",
            "group_key",
            "service_url",
            "service_method",
            "schema",
        ]

    def clean_service_url(self) -> str:
        url = self.cleaned_data["service_url"]
        if url != self.instance.service_url:
            try:
                url_policy.validate_url(url)
            except url_policy.ForbiddenUrl as error:
                raise forms.ValidationError(str(error)) from error
        return url

    def clean_schema(self) -> dict[str, object]:
        schema = self.cleaned_data["schema"]
        schema = {} if schema is None else schema
        if fault := fault_of_schema(schema):
            raise forms.ValidationError(fault)
        return schema


@admin.register(Service)
class ServiceAdmin(BasePage):
    """Services: registered here, or over the API."""

    form = ServiceForm
    list_display = ["name", "type", "service_url", "creator", "created", "deleted"]
    list_filter = ["type", "created", "deleted"]
    search_fields = ["uuid", "name", "description", "service_url"]
    ordering = ["-uuid"]
    list_select_related = ["creator"]
    actions = ["end", "bring_back"]

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_readonly_fields(self, request: HttpRequest, obj: Service | None = None) -> Any:
        """Make URL and operation of built-in services read only: the settings define them."""
        builtin = obj is not None and obj.creator_id is None
        return ["service_url", "service_method", "schema"] if builtin else []

    def save_model(self, request: HttpRequest, obj: Service, form: Any, change: Any) -> None:
        if not change:
            obj.creator = request.user  # type: ignore[assignment]
            messages.warning(request, f"The service's secret, shown only now: {obj.secret}")
        obj.save()

    @admin.action(description="Deactivate services", permissions=["act"])
    def end(self, request: HttpRequest, chosen: QuerySet[Service]) -> None:
        for service in chosen.filter(deleted=None):
            service.put_away()

    @admin.action(description="Activate services", permissions=["act"])
    def bring_back(self, request: HttpRequest, chosen: QuerySet[Service]) -> None:
        back = 0
        for service in chosen.exclude(deleted=None):
            if not Service.objects.filter(deleted=None, name=service.name).exists():
                back += Service.objects.filter(pk=service.pk).update(deleted=None)
        messages.success(request, f"{back} are offered again.")


@admin.register(Operation)
class OperationAdmin(ReadOnlyPage):
    """Operations: view, cancel, send again."""

    list_display = ["uuid", "status", "service", "owner", "asked", "deadline", "created"]
    list_filter = ["status", "service__type", "created", "deleted"]
    search_fields = ["uuid", "model_uri", "result_uri", "owner__username", "service__name"]
    ordering = ["-uuid"]
    list_select_related = ["owner", "service"]
    readonly_fields = ["file"]
    actions = ["cancel", "ask_again"]
    failed = Q(status=Operation.Status.ERROR, deleted=None)

    def why(self, row: Operation) -> str:
        return (row.outputs or {}).get("title", "")

    @admin.display(description="requests")
    def asked(self, row: Operation) -> str:
        last = row.attempts[-1]["answer"] if row.attempts else "-"
        return f"{len(row.attempts)}, last {last}"

    @admin.display(description="file")
    def file(self, row: Operation) -> str:
        location = (outputs_of(row) or {}).get("content")
        return format_html('<a href="{}">download</a>', location) if location else "-"

    @admin.action(description="Cancel pending operations", permissions=["act"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[Operation]) -> None:
        cancelled = operations.cancel_operations(operations=chosen)
        messages.success(request, f"{cancelled} cancelled.")

    @admin.action(description="Poll providers now", permissions=["act"])
    def ask_again(self, request: HttpRequest, chosen: QuerySet[Operation]) -> None:
        asked = operations.retry_requests(operations=chosen)
        messages.success(request, f"{asked} are asked again.")
