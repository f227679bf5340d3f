"""API page: API tokens of the user, references of the services."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import orjson
from django import forms
from django.conf import settings
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.sign_in_form import PasswordField
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.users import ApiToken

MAX_TOKENS = 100  # that the page shows
SERVICES: dict[str, Promise] = {
    "users": _("Accounts, groups, permissions, API tokens"),
    "models": _("Parts: upload, analysis, pictures"),
    "slicing": _("Configs, slices, G-code"),
    "search": _("Search by shape"),
    "integrations": _("Conversion, repair and other operations"),
    "payment": _("Prices of the platform, invoices"),
    "erp": _("Shops: orders, prices, production, printers"),
    "callbacks": _("Events and callbacks"),
}


class TokenForm(forms.Form):
    """A new API token."""

    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("What uses it, for example a script.")
    )
    expires = forms.DateField(
        label=_("Valid until"),
        required=False,
        help_text=_("Optional."),
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    read_only = forms.BooleanField(label=_("Read-only"), required=False)
    password = PasswordField(
        complete="current-password",
        required=False,
        help_text=_("Required if you signed in more than ten minutes ago."),
    )


@page("GET", "POST")
def api_access(visit: PageContext) -> HttpResponse:
    """Create, list and revoke API tokens; the secret of a new one is shown once."""
    if revoked := visit.request.POST.get("revoke"):
        visit.api.ask("DELETE", _uri_of(revoked))
        return visit.go("/api/", done="revoked")
    form = TokenForm(visit.request.POST if visit.posted else None)
    done, status = handle_form(form, lambda: _created(visit, form))
    return done or _shown(visit, form, status)


def _created(visit: PageContext, form: TokenForm) -> HttpResponse:
    fields = {name: value for name, value in form.cleaned_data.items() if value}
    if expires := fields.get("expires"):
        fields["expires"] = f"{expires}T23:59:59Z"
    answer = visit.api.ask("POST", f"{base_url('users')}/api_tokens/", fields)
    response = _shown(visit, TokenForm(), 201, orjson.loads(answer.content))
    response["Cache-Control"] = "no-store"
    return response


def _shown(
    visit: PageContext, form: TokenForm, status: int, created: ApiToken | None = None
) -> HttpResponse:
    tokens = _tokens_of(visit, visit.person["uri"]) if visit.person else []
    return visit.show(
        "api",
        status,
        form=form,
        created=created,
        tokens=tokens,
        users=base_url("users"),
        services=[
            {"name": name, "about": SERVICES.get(name, ""), "docs": f"{base_url(name)}/docs/"}
            for name in settings.SERVICES
        ],
    )


def _tokens_of(visit: PageContext, user: str) -> list[Shown]:
    """Return the tokens of a user; an administrator reads those of services as well."""
    listed = visit.api.list("users", "/api_tokens/", **{"page[limit]": MAX_TOKENS})["resources"]
    return [
        {**token, **{name: _time(token[name]) for name in ("created", "expires", "last_used")}}
        for token in listed
        if token["user_uri"] == user
    ]


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _uri_of(uri: str) -> str:
    """Return the URI of a token in a form. Raises ApiError for the URI of anything else."""
    if not uri.startswith(f"{base_url('users')}/api_tokens/"):
        raise ApiError(404, [{"code": "resource-not-found", "title": ""}], {})
    return uri
