"""Settings page "Channels": chat and push services that inform the staff of the shop."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.notifications import KINDS
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import uuid_of
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, NotificationChannel

PATH = "/settings/channels/"
RIGHT = "customer.all"
MOMENTS = {name: label.title for name, label in KINDS.items() if name != "job-failed"}
INITIAL = ["order-review", "quote-accepted", "printer-attention"]
EXAMPLES = (
    "ntfys://push.example.com/workshop · https://hooks.slack.com/services/T…/B…/… · "
    "tgram://bot-token/chat-id"
)


class ChannelForm(forms.Form):
    """A channel; the address of one that exists is only entered to replace it."""

    name = forms.CharField(label=_("Name"), max_length=200)
    url = forms.CharField(
        label=_("Address"),
        help_text=EXAMPLES,
        max_length=1000,
        widget=forms.TextInput({"class": "mono", "autocomplete": "off", "spellcheck": "false"}),
    )
    moments = forms.MultipleChoiceField(
        label=_("Moments"),
        choices=[*MOMENTS.items()],
        required=False,
        widget=forms.CheckboxSelectMultiple({"class": "form-check-input"}),
    )
    enabled = forms.BooleanField(label=_("Send messages"), required=False)


@page("GET", "POST")
def channels(visit: PageContext) -> HttpResponse:
    """The channels of the shop: create, change, test and delete them."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.shop is None:
        return visit.go("/bureau/")
    visit.require(RIGHT)
    shop, data = visit.shop, visit.request.POST
    rows: list[NotificationChannel] = visit.all_of("notification-channel", bureau=shop["uri"])
    by_key = {uuid_of(row["uri"]): row for row in rows}
    row = by_key.get(data.get("channel") or visit.request.GET.get("channel", ""))
    action = data.get("action", "")
    if row and action == "test":
        visit.api.ask("POST", f"{row['uri']}test/")
        return visit.go(PATH, done="channel-test")
    if gone := by_key.get(visit.request.GET.get("delete", "")):
        return _delete(visit, gone)
    initial = {**row} if row else {"moments": INITIAL, "enabled": True}
    form = ChannelForm(data if visit.posted else None, initial=initial)
    form.fields["url"].required = row is None
    done, status = handle_form(form, lambda: _saved(visit, shop, row, form))
    return done or visit.show(
        "channels",
        status,
        shop=shop,
        entries=settings_entries("channels", visit.rights),
        form=form,
        row=row and _shown(row),
        rows=[_shown(each) for each in rows],
        busy="done" in visit.request.GET,  # the result of a test message is awaited
    )


def _delete(visit: PageContext, row: NotificationChannel) -> HttpResponse:
    """Ask whether a channel is to be deleted, or delete it."""
    if not visit.posted:
        kind = {"path": PATH, "plural": _("Channels")}
        return visit.show("resource-delete", kind=kind, title=row["name"], path=PATH)
    visit.api.ask("DELETE", row["uri"])
    return visit.go(PATH, done="removed")


def _saved(
    visit: PageContext, shop: Bureau, row: NotificationChannel | None, form: ChannelForm
) -> HttpResponse:
    values = {name: value for name, value in form.cleaned_data.items() if name != "url" or value}
    if row:
        visit.api.ask("PUT", row["uri"], values)
    else:
        body = {"bureau": shop["uri"], **values}
        visit.api.ask("POST", f"{base_url('erp')}/notification-channel/", body)
    return visit.go(PATH, done="saved")


def _shown(row: NotificationChannel) -> Context:
    return {
        **row,
        "key": uuid_of(row["uri"]),
        "titles": [MOMENTS[name] for name in MOMENTS if name in row["moments"]],
        "sent_at": datetime.fromisoformat(row["last_sent"]) if row["last_sent"] else None,
    }
