"""Admin: constraints and their bindings to models."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.slicing.models import Association, Constraint
from apps.slicing.services import constraints
from core.auth_user import admin_user
from core.web.admin_base import ReadOnlyPage


@admin.register(Constraint)
class ConstraintAdmin(ReadOnlyPage):
    list_display = ["uuid", "name", "description", "owner", "created", "deleted"]
    list_filter = ["created", "deleted"]
    search_fields = ["uuid", "name", "description", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    actions = ["lift"]

    @admin.action(description="Remove from all models and delete", permissions=["act"])
    def lift(self, request: HttpRequest, chosen: QuerySet[Constraint]) -> None:
        standing = chosen.filter(deleted=None)
        for constraint in standing:
            constraints.delete(actor=admin_user(request), row=constraint)
        messages.success(request, f"{len(standing)} lifted.")


@admin.register(Association)
class AssociationAdmin(ReadOnlyPage):
    list_display = ["uuid", "constraint", "model_uri", "owner", "created", "deleted"]
    list_filter = ["created", "deleted"]
    search_fields = ["uuid", "model_uri", "constraint__name", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["constraint", "owner"]
    actions = ["lift"]

    @admin.action(description="Remove from model", permissions=["act"])
    def lift(self, request: HttpRequest, chosen: QuerySet[Association]) -> None:
        standing = chosen.filter(deleted=None)
        for association in standing:
            constraints.release_model(actor=admin_user(request), association=association)
        messages.success(request, f"{len(standing)} lifted.")
