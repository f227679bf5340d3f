"""Admin login: throttled as everywhere, with the second factor."""

from django import forms
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm

from apps.users.models import User
from apps.users.services import audit, sessions
from core.errors import ServiceError
from core.request_context import request_context


class OperatorLogin(AdminAuthenticationForm):
    """Django's form, and a field for the one-time password."""

    one_time_password = forms.CharField(
        required=False,
        max_length=64,
        label="One-time password",
        help_text="Only where you have set it up.",
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
    )
    # Filled by `clean`; Django's view asks for it.
    user_cache: User | None

    def clean(self) -> dict[str, object]:
        given = self.cleaned_data
        if given.get("username") and given.get("password"):
            try:
                user = sessions.prove(
                    username=given["username"],
                    password=given["password"],
                    one_time_password=given.get("one_time_password", ""),
                    address=request_context().address,
                )
            except ServiceError as error:
                raise forms.ValidationError(error.title) from error
            self.confirm_login_allowed(user)
            self.user_cache = user
            audit.record(action="login.made", actor=user, on=user.uri, after={"host": "admin"})
        return given


admin.site.login_form = OperatorLogin
admin.site.login_template = "admin/operator_login.html"
