"""Welcome page, sign-in, registration."""

import json
import re
from collections.abc import Mapping

from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.views.base.page import PageContext, blame, handle_form, page
from apps.console.views.base.preferences import own_path
from apps.console.views.base.sign_in_form import PasswordField, SignInForm
from core.uris import base_url
from core.web.internal_client import ApiError, NotSignedIn


class LinkForm(forms.Form):
    """What a link does not say by itself."""

    one_time_password = forms.CharField(
        label=_("One-time code"),
        help_text=_("Only if two-factor authentication is enabled."),
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code"}),
    )


class RegisterForm(forms.Form):
    """Who would like to come."""

    name = forms.CharField(
        label=_("Full name"), widget=forms.TextInput(attrs={"autocomplete": "name"})
    )
    email = forms.CharField(
        label=_("Email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    username = forms.CharField(
        label=_("Username"), widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = PasswordField(complete="new-password")


def invitation_in(path: str) -> str:
    """Return the token of the invitation to which a path leads; empty for other paths."""
    matched = re.fullmatch(r"/invitation/([^/?]+)/.*", path)
    return matched[1] if matched else ""


def may_register(back: str) -> bool:
    """Return whether a stranger who is on the way to a page may make an account."""
    return settings.REGISTRATION == "open" or bool(invitation_in(back))


@page("GET", "POST")
def sign_in(visit: PageContext) -> HttpResponse:
    form = SignInForm(visit.request.POST if visit.posted else None)
    back = own_path(visit.request.GET.get("next", ""))
    entries = visit.request.POST.get("entries", "")

    def enter() -> HttpResponse:
        response = _signed_in(visit, form.cleaned_data, back)
        if not (fields := _fields_of(entries)):
            return response
        page = visit.show("send-again", action=back, fields=fields)
        page.cookies = response.cookies
        return page

    done, status = handle_form(form, enter)
    if done:
        return done
    return visit.show(
        "sign-in",
        status,
        form=form,
        open=may_register(back),
        entries=entries,
        back=back if back != "/" else "",
    )


@page("GET", "POST")
def sign_in_by_link(visit: PageContext, token: str) -> HttpResponse:
    """Signs in by a button: whatever looks at links beforehand does not use this one up."""
    form = LinkForm(visit.request.POST if visit.posted else None)
    status = 200
    if form.is_valid():
        proof = {"token": token, **form.cleaned_data}
        try:
            return _signed_in(visit, proof, "/bureau/", by="sessions/by-link/")
        except ApiError as declined:
            if declined.http_status == 404:
                return visit.show("link-over", 404)
            blame(form, declined)
            status = declined.http_status
    return visit.show("link", status, form=form)


@page("GET", "POST")
def register(visit: PageContext) -> HttpResponse:
    """Makes an account, and signs it in."""
    form = RegisterForm(visit.request.POST if visit.posted else None)
    back = own_path(visit.request.GET.get("next", "/"))

    def make() -> HttpResponse:
        body = form.cleaned_data | {"invitation": invitation_in(back)}
        visit.api.ask("POST", f"{base_url('users')}/users/", body)
        proof = {name: form.cleaned_data[name] for name in ("username", "password")}
        return _signed_in(visit, proof, back, done="registered")

    done, status = handle_form(form, make)
    if done:
        return done
    return visit.show("register", status, form=form, open=may_register(back))


@page("POST")
def sign_out(visit: PageContext) -> HttpResponse:
    response = visit.go("/", done="signed-out")
    try:
        response.cookies = visit.api.ask("DELETE", f"{base_url('users')}/sessions/").cookies
    except NotSignedIn:  # the session has ended already
        pass
    return response


def _signed_in(
    visit: PageContext,
    proof: Mapping[str, object],
    back: str,
    done: str = "",
    by: str = "sessions/",
) -> HttpResponse:
    """Off to where they wanted to go, with the cookie that the API gives."""
    answer = visit.api.ask("POST", f"{base_url('users')}/{by}", proof)
    response = visit.go(back, done=done)
    response.cookies = answer.cookies
    return response


def _fields_of(entries: str) -> list[tuple[str, str]]:
    """Names and values of a form that was sent without a session; none of anything else."""
    try:
        fields = [(name, value) for name, value in json.loads(entries)]
    except (ValueError, TypeError):
        return []
    return fields if all(isinstance(each, str) for field in fields for each in field) else []
