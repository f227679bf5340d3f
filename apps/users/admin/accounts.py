"""Operators' pages: accounts and API tokens."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group
from django.http import HttpRequest

from apps.users.models import ApiToken, User

# The contract's groups are a resource of the users service; Django's own are not used.
admin.site.unregister(Group)


@admin.register(User)
class PersonAdmin(UserAdmin):
    """Accounts; deleting one is done by deactivating it, so that what it owns keeps an owner."""

    list_display = ["username", "name", "email", "is_active", "is_staff", "is_platform_service"]
    list_filter = ["is_active", "is_staff", "is_platform_service", "date_joined"]
    search_fields = ["username", "name", "email", "company", "uuid"]
    ordering = ["-uuid"]
    readonly_fields = ["uuid", "uri", "last_login", "date_joined"]
    fieldsets = [
        (None, {"fields": ["uuid", "uri", "username", "password"]}),
        ("Person", {"fields": ["name", "email", "company", "address"]}),
        ("Kind", {"fields": ["is_active", "is_staff", "is_platform_service"]}),
        ("Times", {"fields": ["last_login", "date_joined"]}),
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


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Tokens: looked at and revoked; made by their owners alone, who see the secret once."""

    list_display = ["uuid", "name", "user", "created", "expires", "last_used"]
    list_filter = ["created", "expires", "last_used"]
    search_fields = ["uuid", "name", "user__username"]
    readonly_fields = ["uuid", "user", "created", "last_used"]
    ordering = ["-uuid"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False
