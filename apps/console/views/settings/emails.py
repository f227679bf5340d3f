"""Settings of messages to customers: moments, texts, preview and test; messages sent again."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

import orjson
from django import forms
from django.http import HttpResponse
from django.utils.translation import gettext_lazy as _

from apps.console.domain.message_labels import (
    LANGUAGES,
    MOMENTS,
    PLACEHOLDERS,
    STAFF_MOMENTS,
    STATUSES,
)
from apps.console.domain.messages import Context
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, MessageTextEntry

PATH = "/settings/emails/"
RIGHT = "customer.all"
MAX_KEY = 100
MAX_MESSAGES = 50  # that the page of an order shows


class MessageTextForm(forms.Form):
    """Subject and text of a moment in a language."""

    subject = forms.CharField(label=_("Subject"), max_length=200)
    text = forms.CharField(
        label=_("Text"), max_length=5000, widget=forms.Textarea({"rows": 14, "class": "mono"})
    )


@page("GET", "POST")
def emails(visit: PageContext) -> HttpResponse:
    """The moments at which customers get an e-mail, and the person; POST chooses them."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.shop is None:
        return visit.go("/bureau/")
    shop = visit.shop
    rows = visit.all_of("staff-notification", bureau=shop["uri"])
    own = {row["moment"]: row["uri"] for row in rows}
    if visit.request.POST.get("for") == "me":
        _choose(visit, shop, own)
        return visit.go(PATH, done="saved")
    if visit.posted:
        visit.require(RIGHT)
    texts = _texts(visit, shop) if RIGHT in visit.rights else []
    if visit.posted:
        moment = visit.request.POST.get("moment", "")
        is_on = visit.request.POST.get("enabled") == "on"
        for entry in texts:
            if entry["moment"] == moment and entry["enabled"] != is_on:
                _save(visit, shop, entry, {"enabled": is_on})
        return visit.go(PATH, done="saved")
    return visit.show(
        "email-settings",
        **_common(visit, shop),
        staff=[(name, label, name in own) for name, label in STAFF_MOMENTS.items()],
        may_choose=visit.works_in_shop,
        may_change=bool(texts),
        moments=[
            {
                "name": name,
                "title": title,
                "hint": hint,
                "enabled": any(entry["enabled"] for entry in texts if entry["moment"] == name),
                "texts": [
                    {**entry, "title": LANGUAGES[entry["language"]]}
                    for entry in texts
                    if entry["moment"] == name
                ],
            }
            for name, (title, hint) in MOMENTS.items()
        ],
    )


@page("GET", "POST")
def message_text(visit: PageContext, moment: str, language: str) -> HttpResponse:
    """The form of a text; its buttons save, preview, send a test mail and restore the default."""
    if not visit.person:
        return visit.to_sign_in()
    shop = _shop(visit)
    if shop is None:
        return visit.go("/bureau/")
    entry = _text(visit, shop, moment, language)
    if entry is None:
        return visit.go(PATH)
    path = f"{PATH}{moment}/{language}/"
    action = visit.request.POST.get("action", "")
    if action == "reset":
        _restore(visit, entry)
        return visit.go(path, done="text-restored")
    initial = {"subject": entry["subject"], "text": entry["text"]}
    form = MessageTextForm(visit.request.POST if visit.posted else None, initial=initial)
    names = {"moment": moment, "language": language}
    preview: Context = {}

    def act() -> HttpResponse:
        draft = {"subject": form.cleaned_data["subject"], "text": _unix(form.cleaned_data["text"])}
        if action == "save":
            _save(visit, shop, entry, draft)
            return visit.go(PATH, done="saved")
        body = {**names, **draft}
        preview.update(_preview(visit, shop, body))
        if action == "test":
            visit.api.ask("POST", f"{shop['uri']}message-test/", body)
            preview["is_sent"] = True
        return _shown()

    def _shown(status: int = 200) -> HttpResponse:
        return visit.show(
            "message-text",
            status,
            **_common(visit, shop),
            form=form,
            entry=entry,
            title=MOMENTS[moment][0],
            language_title=LANGUAGES[language],
            placeholders=PLACEHOLDERS,
            preview=preview or _preview(visit, shop, {**names, **initial}),
            path=path,
        )

    done, status = handle_form(form, act) if visit.posted else (None, 200)
    return done or _shown(status)


@page("POST")
def send_again(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Sends a message again and leads back to its order, or to the message."""
    message = visit.api.get(api_uri("message", uuid))
    key = f"{visit.request.POST.get('key', '')[:MAX_KEY]}-{uuid}"
    visit.api.ask("POST", f"{message['uri']}send/", key=key)
    return visit.go(message["order"] or message["uri"], done="mail-again")


def messages_of(visit: PageContext, order: str) -> list[Context]:
    """Return the messages of an order in words, the latest first."""
    query = {"filter[order]": order, "sort": "-created", "page[limit]": MAX_MESSAGES}
    rows = visit.api.list("erp", "/message/", **query)["resources"]
    return [
        {
            **row,
            "path": page_path(row["uri"]),
            "title": MOMENTS[row["moment"]][0],
            "state": STATUSES[row["status"]],
            "at": datetime.fromisoformat(row["sent_at"] or row["created"]),
            "has_ended": row["status"] in ("sent", "failed", "held"),
        }
        for row in rows
    ]


def _choose(visit: PageContext, shop: Bureau, own: dict[str, str]) -> None:
    """Choose the moments at which the person gets an e-mail."""
    wanted = set(visit.request.POST.getlist("moment"))
    for name in STAFF_MOMENTS:
        if name in wanted and name not in own:
            body = {"bureau": shop["uri"], "moment": name}
            visit.api.ask("POST", f"{base_url('erp')}/staff-notification/", body)
        elif name in own and name not in wanted:
            visit.api.ask("DELETE", own[name])


def _shop(visit: PageContext) -> Bureau | None:
    """The current shop, whose texts the person may change. Raises Denied."""
    if visit.shop is not None:
        visit.require(RIGHT)
    return visit.shop


def _common(visit: PageContext, shop: Bureau) -> Context:
    return {"shop": shop, "entries": settings_entries("emails", visit.rights)}


def _texts(visit: PageContext, shop: Bureau) -> list[MessageTextEntry]:
    path = f"{page_path(shop['uri'])}message-texts/"
    texts: list[MessageTextEntry] = visit.api.list("erp", path, **{"page[limit]": 100})["resources"]
    return texts


def _text(visit: PageContext, shop: Bureau, moment: str, language: str) -> MessageTextEntry | None:
    """The text of a moment in a language; None where there is none of these names."""
    texts = {(entry["moment"], entry["language"]): entry for entry in _texts(visit, shop)}
    return texts.get((moment, language))


def _save(
    visit: PageContext, shop: Bureau, entry: MessageTextEntry, values: dict[str, object]
) -> None:
    """Change the shop's own text of a moment, or create it."""
    if entry["template"]:
        visit.api.ask("PUT", entry["template"], values)
        return
    own = {"moment": entry["moment"], "language": entry["language"], "enabled": entry["enabled"]}
    body = {"bureau": shop["uri"], **own, **values}
    visit.api.ask("POST", f"{base_url('erp')}/message-template/", body)


def _restore(visit: PageContext, entry: MessageTextEntry) -> None:
    """Take back the shop's own text; a moment that is switched off stays so."""
    if entry["template"]:
        visit.api.ask("PUT", entry["template"], {"subject": None, "text": None})


def _preview(visit: PageContext, shop: Bureau, body: dict[str, str]) -> Context:
    """A text with sample values."""
    answer = visit.api.ask("POST", f"{shop['uri']}message-preview/", body)
    rendered: Context = orjson.loads(answer.content)
    return rendered


def _unix(text: str) -> str:
    """A text of a form with the line breaks of the API."""
    return text.replace("\r\n", "\n")
