"""Settings page "Send from your slicer": keys, what is entered in a slicer, the last files."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, cast
from uuid import UUID

import orjson
from django import forms
from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, error_message
from apps.console.domain.production_status import RECEIVED
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, page_path, uri_choices, uuid_of

if TYPE_CHECKING:
    from manufacturing.generated.erp import ReceivedFile, SlicerKey, SlicerSecret

PATH = "/settings/slicers/"
MAX_KEYS = 100
MAX_FILES = 5


class SlicerKeyForm(forms.Form):
    """A new key for a slicer."""

    name = forms.CharField(
        label=_("Name"), max_length=200, help_text=_("For example the computer of the slicer.")
    )
    printer_type = forms.ChoiceField(
        label=_("Printer type"),
        required=False,
    )
    key = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self, data: QueryDict | None = None, *, types: list[tuple[str, str]], key: str = ""
    ):
        super().__init__(data, initial={"key": key})
        choices = [("", _("As the G-code states")), *types]
        cast(forms.ChoiceField, self.fields["printer_type"]).choices = choices


@page("GET", "POST")
def slicers(visit: PageContext) -> HttpResponse:
    """Create and delete keys; the secret of a new one is shown once."""
    if not visit.person:
        return visit.to_sign_in()
    if visit.shop is None:
        return visit.go("/bureau/")
    if revoked := visit.request.POST.get("revoke"):
        visit.api.ask("DELETE", api_uri("slicer-key", UUID(revoked)))
        return visit.go(PATH, done="removed")
    types = uri_choices(visit.all_of("printer-type", bureau=visit.shop["uri"]))
    data = visit.request.POST if visit.posted else None
    form = SlicerKeyForm(data, types=types, key=visit.form_key)
    done, status = handle_form(form, lambda: _created(visit, form, types))
    return done or _shown(visit, form, status)


def _created(visit: PageContext, form: SlicerKeyForm, types: list[tuple[str, str]]) -> HttpResponse:
    data = form.cleaned_data
    body = {
        "bureau": visit.shop and visit.shop["uri"],
        "name": data["name"],
        "printer_type": data["printer_type"] or None,
    }
    uri = visit.make("erp", "slicer-key", body, key=data["key"])
    secret: SlicerSecret = orjson.loads(visit.api.ask("POST", f"{uri}secret/").content)
    empty = SlicerKeyForm(types=types, key=visit.form_key)
    response = _shown(visit, empty, 201, secret)
    response["Cache-Control"] = "no-store"
    return response


def _shown(
    visit: PageContext, form: SlicerKeyForm, status: int, secret: SlicerSecret | None = None
) -> HttpResponse:
    shop = visit.shop["uri"] if visit.shop else ""
    keys: list[SlicerKey] = visit.all_of("slicer-key", limit=MAX_KEYS, bureau=shop)
    query = {"filter[bureau]": shop, "sort": "-created", "page[limit]": MAX_FILES}
    files: list[ReceivedFile] = visit.api.list("erp", "/received-file/", **query)["resources"]
    names = {row["uri"]: row["name"] for row in keys}
    types = {row["uri"]: row["name"] for row in visit.all_of("printer-type", bureau=shop)}
    return visit.show(
        "slicers",
        status,
        shop=visit.shop,
        entries=settings_entries("slicers", visit.rights),
        form=form,
        secret=secret,
        keys=[
            {
                **row,
                "key": uuid_of(row["uri"]),
                "type_name": types.get(row["printer_type"] or ""),
                "used_at": _time(row["last_used"]),
            }
            for row in keys
        ],
        files=[_file(row, names) for row in files],
        may_change=visit.works_in_shop,
        busy=True,
    )


def _file(row: ReceivedFile, names: dict[str, str]) -> Context:
    return {
        **row,
        "path": page_path(row["gcode"] or row["model"] or row["uri"]),
        "state": RECEIVED[row["status"]],
        "key_name": names.get(row["slicer_key"] or "", ""),
        "created_at": _time(row["created"]),
        "faults": [error_message(error) for error in row["errors"] or []],
    }


def _time(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
