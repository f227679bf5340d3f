"""Operators' pages: accounts."""

from typing import Any, cast

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest, HttpResponse

from apps.users.models import User
from apps.users.services import audit, passwords

KIND = ("is_active", "is_staff", "is_superuser", "is_platform_service")

# The contract's groups are a resource of the users service; Django's own are not used.
admin.site.unregister(Group)


def operator(request: HttpRequest) -> User:
    """Who is at the page, for the account of what was done there."""
    return cast(User, request.user)


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Accounts; deleting one is done by deactivating it, so that what it owns keeps an owner."""

    list_display = ["username", "name", "email", "is_active", "is_staff", "is_platform_service"]
    list_filter = ["is_active", "is_staff", "is_platform_service", "date_joined"]
    search_fields = ["username", "name", "email", "company", "uuid"]
    ordering = ["-uuid"]
    readonly_fields = ["uuid", "uri", "last_login", "date_joined", "tos_accepted"]
    fieldsets = [
        (None, {"fields": ["uuid", "uri", "username", "password"]}),
        ("Person", {"fields": ["name", "email", "company", "address"]}),
        ("Kind", {"fields": ["is_active", "is_staff", "is_platform_service"]}),
        ("Times", {"fields": ["last_login", "date_joined", "tos_accepted"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"fields": ["username", "name", "email", "usable_password", "password1", "password2"]},
        ),
    ]
    filter_horizontal = []

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        own = obj is None or operator(request).may_change(obj)
        return own and super().has_change_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: FBT001  Django's signature
        super().save_model(request, obj, form, change)
        changed = {name: getattr(obj, name) for name in KIND if name in form.changed_data}
        if changed:
            audit.record(action="user.kind", actor=operator(request), on=obj.uri, after=changed)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Django's page; the sessions that the old password opened end, as over the API."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            user = User.objects.get(pk=id)
            passwords.end_keys(user=user, actor=operator(request))
            audit.record(action="password.changed", actor=operator(request), on=user.uri)
        return response
