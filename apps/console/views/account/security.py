"""Security of the account: profile, password, two-factor authentication, sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

import orjson
import segno
from django import forms
from django.http import HttpResponse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext_lazy as _

from apps.console.domain.devices import device_name, is_mobile
from apps.console.domain.messages import Context, JsonValue, Row
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.sign_in_form import PasswordField
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.users import SecondFactor

MAX_SESSIONS = 100  # that the page shows
SCHEME = "otpauth://totp/"


class ProfileForm(forms.Form):
    """Name and address of the account."""

    name = forms.CharField(label=_("Full name"), max_length=200)
    email = forms.EmailField(label=_("Email"), max_length=254)
    current_password = PasswordField(
        complete="current-password",
        required=False,
        help_text=_("Required for a new email address."),
        label=_("Current password"),
    )


class PasswordForm(forms.Form):
    """A new password."""

    current_password = PasswordField(complete="current-password", label=_("Current password"))
    password = PasswordField(
        complete="new-password",
        label=_("New password"),
        help_text=_("All other sessions end."),
    )
    end_tokens = forms.BooleanField(label=_("Revoke all API tokens"), required=False)


class ConfirmForm(forms.Form):
    """The first code of an authenticator app.

    factor, otpauth_uri, codes : of the set-up, which the API returns once
    """

    one_time_password = forms.CharField(
        label=_("One-time code"),
        max_length=64,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )
    factor = forms.CharField(widget=forms.HiddenInput)
    otpauth_uri = forms.CharField(widget=forms.HiddenInput)
    codes = forms.CharField(widget=forms.HiddenInput)


class OwnPasswordForm(forms.Form):
    """The password, which sets up and removes a second factor."""

    password = PasswordField(complete="current-password", label=_("Current password"))


@page("GET", "POST")
def security(visit: PageContext) -> HttpResponse:
    """The account's own page; each of its forms names what it does."""
    if not visit.person:
        return visit.to_sign_in()
    if not visit.posted:
        return _shown(visit)
    if does := FORMS.get(visit.request.POST.get("action", "")):
        form_class, do = does
        form = form_class(visit.request.POST, auto_id=f"{form_class.__name__}-%s")
        done, status = handle_form(form, lambda: do(visit, form.cleaned_data))
        return done or _shown(visit, form, status)
    return _end_sessions(visit)


# ---------------------------------------------------------------- what the forms do


def _change_profile(visit: PageContext, entered: Row) -> HttpResponse:
    return _change(visit, {name: value for name, value in entered.items() if value}, "profile")


def _change_password(visit: PageContext, entered: Row) -> HttpResponse:
    return _change(visit, entered, "password")


def _change(visit: PageContext, fields: Row, done: str) -> HttpResponse:
    """Change the account; a new password renews the cookie."""
    answer = visit.api.ask("PUT", _me(visit), fields)
    response = visit.go("/security/", done=done)
    response.cookies = answer.cookies
    return response


def _set_up(visit: PageContext, entered: Row) -> HttpResponse:
    """The page with the secret, which is shown this once, and a form for the first code."""
    answer = visit.api.ask("POST", f"{base_url('users')}/one-time-passwords/", entered)
    made: SecondFactor = orjson.loads(answer.content)
    values = {
        "factor": made["uri"],
        "otpauth_uri": made["otpauth_uri"],
        "codes": json.dumps(made["recovery_codes"]),
    }
    return _shown(visit, ConfirmForm(initial=values, auto_id="ConfirmForm-%s"), 201)


def _confirm(visit: PageContext, entered: Row) -> HttpResponse:
    uri = _own(entered["factor"], "one-time-passwords")
    visit.api.ask("PUT", uri, {"one_time_password": entered["one_time_password"]})
    return visit.go("/security/", done="second-factor")


def _turn_off(visit: PageContext, entered: Row) -> HttpResponse:
    for factor in _factors(visit):
        visit.api.ask("DELETE", factor["uri"], entered)
    return visit.go("/security/", done="no-second-factor")


FORMS: dict[str, tuple[type[forms.Form], Callable[[PageContext, Row], HttpResponse]]] = {
    "profile": (ProfileForm, _change_profile),
    "password": (PasswordForm, _change_password),
    "set-up": (OwnPasswordForm, _set_up),
    "confirm": (ConfirmForm, _confirm),
    "turn-off": (OwnPasswordForm, _turn_off),
}


def _end_sessions(visit: PageContext) -> HttpResponse:
    """End the session that the form names, or all others."""
    named = visit.request.POST.get("session", "")
    visit.api.ask("DELETE", _own(named, "sessions"))
    return visit.go("/security/", done="sessions-ended")


# ---------------------------------------------------------------- the page


def _shown(visit: PageContext, sent: forms.Form | None = None, status: int = 200) -> HttpResponse:
    """The page; `sent` is the form with faults, or the one for the first code."""
    factors = _factors(visit)
    confirmed = next((row["confirmed"] for row in factors if row["confirmed"]), None)
    response = visit.show(
        "security",
        status,
        entries=settings_entries("security", visit.rights),
        profile=_form(ProfileForm, sent, visit.person),
        password=_form(PasswordForm, sent),
        own_password=_form(OwnPasswordForm, sent),
        since=datetime.fromisoformat(confirmed) if confirmed else None,
        set_up=_secrets(sent) if isinstance(sent, ConfirmForm) else None,
        sessions=_sessions(visit),
        all_sessions=f"{base_url('users')}/sessions/all/",
    )
    if isinstance(sent, ConfirmForm):
        response["Cache-Control"] = "no-store"
    return response


def _form(kind: type[forms.Form], sent: forms.Form | None, initial: JsonValue = None) -> forms.Form:
    if isinstance(sent, kind):
        return sent
    return kind(initial=initial, auto_id=f"{kind.__name__}-%s")


def _factors(visit: PageContext) -> list[JsonValue]:
    return visit.api.list("users", "/one-time-passwords/")["resources"]


def _secrets(form: ConfirmForm) -> Context | None:
    """What the page shows of a set-up; None where the form does not have it."""
    uri = str(form["otpauth_uri"].value() or "")
    try:
        codes = json.loads(form["codes"].value() or "[]")
        secret = parse_qs(urlsplit(uri).query)["secret"][0]
    except (ValueError, KeyError):
        return None
    if not uri.startswith(SCHEME) or not isinstance(codes, list):
        return None
    return {"form": form, "secret": secret, "codes": codes, "qr": _qr(uri)}


def _qr(uri: str) -> SafeString:
    """Return a QR code as SVG: black modules of segno's own making."""
    return mark_safe(segno.make_qr(uri, error="m").svg_inline(omitsize=True))  # noqa: S308


def _sessions(visit: PageContext) -> list[Context]:
    """The sessions of the account, that of this browser first."""
    parameters = {"sort": "-last_used", "page[limit]": MAX_SESSIONS}
    rows = visit.api.list("users", "/sessions/all/", **parameters)["resources"]
    shown = [
        {
            **row,
            "device": device_name(row["user_agent"]),
            "mobile": is_mobile(row["user_agent"]),
            "created": datetime.fromisoformat(row["created"]),
            "last_used": datetime.fromisoformat(row["last_used"]),
        }
        for row in rows
    ]
    return sorted(shown, key=lambda row: not row["current"])


def _me(visit: PageContext) -> str:
    return visit.person["uri"] if visit.person else ""


def _own(uri: str, kind: str) -> str:
    """Return the URI in a form. Raises ApiError for the URI of another kind."""
    if not uri.startswith(f"{base_url('users')}/{kind}/"):
        raise ApiError(404, [{"code": "resource-not-found", "title": "Not found."}], {})
    return uri
