"""Admin: quotas of accounts and groups, which override the settings."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest

from apps.users.models import Group, User
from apps.users.services import audit
from core.auth_user import admin_user
from core.models import Limit
from core.web.admin_base import BasePage


class LimitForm(forms.ModelForm):
    """A limit of an existing kind, for an existing user or group or for all."""

    limit = forms.ChoiceField(choices=lambda: [(name, name) for name in settings.LIMITS])

    def clean_holder(self) -> Any:
        holder = self.cleaned_data["holder"]
        kinds = (User, Group)
        if holder and not any(kind.objects.filter(pk=holder).exists() for kind in kinds):
            raise forms.ValidationError("This is the key of no user and of no group.")
        return holder


@admin.register(Limit)
class LimitAdmin(BasePage):
    """How much accounts, members of groups (such as a bureau's), or all may have."""

    list_display = ["limit", "of", "most", "note", "created"]
    list_filter = ["limit", "created"]
    search_fields = ["holder", "limit", "note"]
    ordering = ["limit", "-created"]
    form = LimitForm

    @admin.display(description="of")
    def of(self, row: Limit) -> str:
        if row.holder is None:
            return "everybody"
        kinds: tuple[Any, ...] = (User, Group)
        found = [kind.objects.filter(pk=row.holder).first() for kind in kinds]
        return str(next(filter(None, found), row.holder))

    def save_model(self, request: HttpRequest, obj: Limit, form: Any, change: bool) -> None:  # noqa: FBT001  Django's signature
        super().save_model(request, obj, form, change)
        after = {"limit": obj.limit, "most": obj.most}
        holder = User.uri_of(obj.holder) if obj.holder else ""
        audit.record(action="limit.set", actor=admin_user(request), on=holder, after=after)
