"""Admin: groups, memberships, permissions and the audit log.

Rights are granted through the API. The admin site shows them and revokes them through the same
services, so that the audit log is complete.
"""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from apps.users.models import AuditEvent, Group, Membership, Permission
from apps.users.services import groups, memberships, permissions
from core.auth_user import admin_user
from core.web.admin_base import ReadOnlyPage, count_of


@admin.register(Group)
class GroupAdmin(ReadOnlyPage):
    list_display = ["uuid", "name", "creator", "members", "created"]
    list_filter = ["created"]
    list_select_related = ["creator"]
    search_fields = ["=uuid", "name", "description", "=creator__username"]
    ordering = ["-uuid"]
    readonly_fields = ["uri", "members", "rights"]
    actions = ["delete_chosen"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return super().get_queryset(request).annotate(n_members=count_of(Membership, "group"))

    @admin.display(description="members")
    def members(self, group: Group) -> str:
        page = reverse("admin:users_membership_changelist")
        count = group.n_members  # type: ignore[attr-defined]
        return format_html('<a href="{}?group__uuid={}">{}</a>', page, group.pk, count)

    @admin.display(description="rights")
    def rights(self, group: Group) -> str:
        page = reverse("admin:users_permission_changelist")
        return format_html('<a href="{}?q={}">held by it or on it</a>', page, group.pk)

    @admin.action(description="Delete with memberships and permissions", permissions=["act"])
    def delete_chosen(self, request: HttpRequest, chosen: QuerySet[Group]) -> None:
        for group in chosen:
            groups.delete(actor=admin_user(request), row=group)
        messages.success(request, "They are deleted.")


@admin.register(Membership)
class MembershipAdmin(ReadOnlyPage):
    list_display = ["uuid", "user", "group", "created_by", "created"]
    list_filter = ["created"]
    list_select_related = ["user", "group", "created_by"]
    search_fields = ["=uuid", "=user__username", "=group__uuid", "group__name"]
    ordering = ["-uuid"]
    actions = ["remove"]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup == "group__uuid" or super().lookup_allowed(lookup, value, request)

    @admin.action(description="Remove users from groups", permissions=["act"])
    def remove(self, request: HttpRequest, chosen: QuerySet[Membership]) -> None:
        ended = memberships.remove(chosen, actor=admin_user(request))
        messages.success(request, f"{ended} ended.")


@admin.register(Permission)
class PermissionAdmin(ReadOnlyPage):
    list_display = ["uuid", "holder", "namespace", "right", "object", "created_by", "created"]
    list_filter = ["namespace", "created"]
    list_select_related = ["created_by"]
    search_fields = ["=uuid", "=holder_uuid", "=object_uuid", "=holder", "=object", "=right"]
    ordering = ["-uuid"]
    readonly_fields = ["uri"]
    show_full_result_count = False
    actions = ["revoke"]

    @admin.action(description="Revoke", permissions=["act"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Permission]) -> None:
        revoked = permissions.revoke_all(actor=admin_user(request), permissions=chosen)
        messages.success(request, f"{revoked} revoked.")


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyPage):
    """Audit log; the database rejects every change of a row."""

    list_display = ["created", "action", "actor", "on", "address", "request_id"]
    list_filter = ["action", "created"]
    list_select_related = ["actor"]
    search_fields = ["=uuid", "=on", "=actor__username", "=address", "=request_id", "=token"]
    ordering = ["-uuid"]
    show_full_result_count = False
