"""Form that signs in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


class PasswordField(forms.CharField):
    """A password, as it was typed."""

    def __init__(
        self,
        *,
        complete: str,
        required: bool = True,
        help_text: StrOrPromise = "",
        label: StrOrPromise = "",
    ):
        widget = forms.PasswordInput(attrs={"autocomplete": complete})
        super().__init__(
            label=label or _("Password"),
            widget=widget,
            strip=False,
            required=required,
            help_text=help_text,
        )


class SignInForm(forms.Form):
    """Name, password and one-time code of an account."""

    username = forms.CharField(
        label=_("Username"), widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = PasswordField(complete="current-password")
    one_time_password = forms.CharField(
        label=_("One-time code"),
        help_text=_("Only if two-factor authentication is enabled."),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
    )
