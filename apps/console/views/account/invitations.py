"""Invitations to a shop: make a link with a role, and accept one."""

from __future__ import annotations

import orjson
from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.views.base.page import PageContext, handle_form, key_of, page
from core.uris import base_url
from core.web.internal_client import ApiError

# What each named role may do, by the API's words.
ROLES = [
    ("production", _("Production: queue, builds, printers, materials and inventory")),
    ("sales", _("Sales: orders, quotes, customers and prices")),
    ("owner", _("Owner: everything, also people and settings")),
    ("viewer", _("Viewer: sees everything, changes nothing")),
]


class InviteForm(forms.Form):
    """Who is invited, to do what."""

    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("Who is invited: for your own overview.")
    )
    role = forms.ChoiceField(label=_("Role"), choices=ROLES, widget=forms.RadioSelect)
    key = forms.CharField(widget=forms.HiddenInput)


@page("GET", "POST")
def invite(visit: PageContext) -> HttpResponse:
    """The form for an invitation to the current shop; sent, it shows the link once."""
    shop = visit.shop
    if shop is None:
        return visit.go("/bureau/")
    visit.require("bureau.permission.all")
    form = InviteForm(
        visit.request.POST if visit.posted else None,
        initial={"key": visit.form_key, "role": "production"},
    )

    def make() -> HttpResponse:
        entries = form.cleaned_data
        body = {"bureau": shop["uri"], "role": entries["role"], "name": entries["name"]}
        made = visit.make("erp", "invitation", body, key=key_of(form))
        answer = visit.api.ask("POST", f"{made}link/")
        created = orjson.loads(answer.content)
        response = visit.show("invite", 201, shop=shop, link=created["link"], name=entries["name"])
        response["Cache-Control"] = "no-store"
        return response

    done, status = handle_form(form, make)
    return done or visit.show("invite", status, shop=shop, form=form)


@page("GET", "POST")
def accept(visit: PageContext, token: str) -> HttpResponse:
    """Accepts by a button: whatever opens links beforehand does not use this one up."""
    if visit.person is None:
        return visit.to_sign_in()
    if not visit.posted:
        return visit.show("invitation")
    try:
        visit.api.ask("POST", f"{base_url('erp')}/invitation/accept/", {"token": token})
    except ApiError as declined:
        if declined.http_status != 404:
            raise
        return visit.show("invitation", 404, is_over=True)
    return visit.go("/", done="joined")
