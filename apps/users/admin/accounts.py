"""Admin: accounts."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.contrib.auth.models import Group
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse

from apps.users.models import User
from apps.users.services import audit, passwords
from core.auth_user import admin_user
from core.web.admin_base import BasePage

# What each box does to an account when it is ticked, and when it is not.
WORDS = {
    "is_active": {True: "can sign in again", False: "can sign in no more"},
    "is_staff": {
        True: "becomes an operator, who may read and do everything",
        False: "is no operator any more",
    },
    "is_platform_service": {
        True: "becomes a platform service, which may read everybody's models",
        False: "is no platform service any more",
    },
}
KIND = tuple(WORDS)

# The contract's groups are a resource of the users service; Django's own are not used.
admin.site.unregister(Group)


class PersonForm(UserChangeForm):
    """Django's user form with a confirmation of changes to administrator flags."""

    confirmed = forms.BooleanField(
        required=False,
        label="I mean it",
        help_text="Needed where one of the boxes above is changed.",
    )

    def clean(self) -> dict[str, object]:
        given = super().clean() or self.cleaned_data
        changed = [name for name in KIND if name in self.changed_data]
        if changed and not given.get("confirmed"):
            words = ", ".join(WORDS[name][given[name]] for name in changed)
            self.add_error(
                "confirmed", f"{self.instance.username} {words}: tick this if you mean it."
            )
        return given


@admin.register(User)
class PersonAdmin(BasePage, UserAdmin):
    """Accounts; deleting one is done by deactivating it, so that what it owns keeps an owner."""

    list_display = ["username", "name", "email", "is_active", "is_staff", "is_platform_service"]
    list_filter = ["is_active", "is_staff", "is_platform_service", "date_joined"]
    search_fields = ["username", "name", "email", "company", "uuid"]
    ordering = ["-uuid"]
    form = PersonForm
    readonly_fields = ["uuid", "uri", "last_login", "date_joined", "tos_accepted"]
    fieldsets = [
        (None, {"fields": ["uuid", "uri", "username", "password"]}),
        ("Person", {"fields": ["name", "email", "company", "address"]}),
        ("Kind", {"fields": [*KIND, "confirmed"]}),
        ("Turns", {"fields": ["network", "turn_weight"]}),
        ("Uploads", {"fields": ["convert_uploads"]}),
        ("Times", {"fields": ["last_login", "date_joined", "tos_accepted"]}),
    ]
    add_fieldsets = [
        (
            None,
            {"fields": ["username", "name", "email", "usable_password", "password1", "password2"]},
        ),
    ]
    filter_horizontal = []

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """All but guests of shops, who come and go by themselves."""
        rows: QuerySet[User] = super().get_queryset(request)
        return rows.filter(guest_until=None)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        own = obj is None or admin_user(request).may_change(obj)
        return own and super().has_change_permission(request, obj)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:  # noqa: FBT001  Django's signature
        super().save_model(request, obj, form, change)
        changed = {name: getattr(obj, name) for name in KIND if name in form.changed_data}
        if changed:
            audit.record(action="user.kind", actor=admin_user(request), on=obj.uri, after=changed)

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Django's page; the sessions that the old password opened end, as over the API."""
        response = super().user_change_password(request, id, form_url)
        if request.method == "POST" and response.status_code == 302:
            user = User.objects.get(pk=id)
            passwords.end_keys(user=user, actor=admin_user(request))
            audit.record(action="password.changed", actor=admin_user(request), on=user.uri)
        return response
