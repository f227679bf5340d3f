"""Settings page "Slicer profiles": configs of the user's own slicer, uploaded as files."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse, QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context, Row
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, blame, page
from apps.console.views.base.page_urls import page_path, sent_uri, uuid_of
from apps.console.views.printers.cura_machines import PATH as CURA_PATH
from apps.console.views.printers.cura_machines import has_cura_machines
from apps.console.views.settings.profile_differences import (
    CURRENT,
    comparison_path,
    is_comparable,
    profile_name,
)
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import PrinterType
    from manufacturing.generated.slicing import Config

PATH = "/settings/profiles/"
MAX_PROFILES = 100
MAX_OUTDATED = 20
MAX_BYTES = 3_000_000  # of a file; as a field of the form it must fit into a request
KINDS = ("printer", "print", "filament")
ZIP_SIGNATURE = b"PK\x03\x04"
PACKED = "UEsDB"  # the same in base64
SECTION = re.compile(r"^\s*\[[a-z_]+(:.*)?\]\s*$", re.MULTILINE)


class SlicerProfileForm(forms.Form):
    """A file of a slicer, and the presets in it where it has several."""

    file = forms.FileField(
        label=_("File"),
        required=False,
        help_text=_(
            "In PrusaSlicer and SuperSlicer: File, Export, Export Config or Export Config Bundle "
            "(.ini). Or a project (.3mf), also of OrcaSlicer or Bambu Studio. In Cura: "
            "Preferences, Profiles, Export (.curaprofile)."
        ),
        widget=forms.FileInput(attrs={"accept": ".ini,.3mf,.curaprofile"}),
    )
    printer = forms.ChoiceField(label=_("Printer"), required=False)
    print = forms.ChoiceField(label=_("Print settings"), required=False)
    filament = forms.ChoiceField(label=_("Filament"), required=False)
    description = forms.CharField(
        label=_("Name"),
        max_length=1000,
        required=False,
        help_text=_("Left empty: the names of its presets."),
    )
    text = forms.CharField(widget=forms.HiddenInput, required=False, strip=False)
    key = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, UploadedFile] | None = None,
        *,
        key: str,
        names: Mapping[str, list[str]] | None = None,
    ):
        """Make the form; `names` are presets of the file that are to be chosen, by kind."""
        super().__init__(data, files, initial={"key": key})
        if names:
            del self.fields["file"]  # its text is in the form
        for kind in KINDS:
            chosen = data.get(kind, "") if data else ""
            offered = (names or {}).get(kind, [chosen] if chosen else [])
            field = cast(forms.ChoiceField, self.fields[kind])
            field.widget = forms.Select() if offered else forms.HiddenInput()
            field.choices = [("", _("Choose")), *((name, name) for name in offered)]

    def clean(self) -> Context:
        values = self.cleaned_data
        if file := values.get("file"):
            if file.size > MAX_BYTES:
                raise forms.ValidationError(
                    _(
                        "The file is larger than 3 MB. Upload a larger project as a part: the page "
                        "of the part offers its settings."
                    )
                )
            content = file.read()
            if content.startswith(ZIP_SIGNATURE):
                content = b64encode(content)
            try:
                values["text"] = content.decode()
            except UnicodeDecodeError as error:
                raise forms.ValidationError(_("The file has no profile of a slicer.")) from error
        if not values.get("text", "").strip():
            self.add_error("file", _("Choose a file with a profile."))
        return values


@page("GET", "POST")
def profiles(visit: PageContext) -> HttpResponse:
    """Upload and delete slicer profiles."""
    if not visit.person:
        return visit.to_sign_in()
    if removed := visit.request.POST.get("delete"):
        visit.api.ask("DELETE", sent_uri("config", removed))
        return visit.go(PATH, done="removed")
    if not visit.posted:
        return _shown(visit, SlicerProfileForm(key=visit.form_key), 200)
    form = SlicerProfileForm(visit.request.POST, visit.request.FILES, key=visit.form_key)
    if not form.is_valid():
        return _shown(visit, form, 400)
    try:
        _create(visit, form.cleaned_data)
    except ApiError as declined:
        # The file is sent again as text, with the presets that are chosen of it.
        again = visit.request.POST.copy()
        again["text"] = form.cleaned_data["text"]
        form = SlicerProfileForm(again, key=visit.form_key, names=_names(declined))
        form.is_valid()
        if all(error["code"] == "missing-parameter" for error in declined.errors):
            return _shown(visit, form, 200)  # presets are left to choose
        blame(form, declined)
        return _shown(visit, form, declined.http_status)
    return visit.go(PATH, done="created")


def _create(visit: PageContext, values: Row) -> None:
    is_packed = values["text"].startswith(PACKED)
    body = {
        "description": values["description"],
        "file" if is_packed else "content": values["text"],
    }
    if is_packed or SECTION.search(values["text"]):
        path = "config/bundle"
        body |= {kind: values[kind] for kind in KINDS}
    else:
        path = "config/raw"
        body["engine"] = "slic3r"
    visit.make("slicing", path, body, key=values["key"])


def _names(declined: ApiError) -> dict[str, list[str]]:
    """The presets of a bundle that a refusal offers, by kind."""
    offered: dict[str, list[str]] = {}
    for error in declined.errors:
        details = cast(dict[str, list[str]], error.get("details") or {})
        if error.get("field") in KINDS and "names" in details:
            offered[error["field"]] = details["names"]
    return offered


def _shown(visit: PageContext, form: SlicerProfileForm, status: int) -> HttpResponse:
    query = {
        "filter[kind]": "raw",
        "filter[fitted]": "false",
        "sort": "-created",
        "page[limit]": MAX_PROFILES,
    }
    rows: list[Config] = visit.api.list("slicing", "/config/", **query)["resources"]
    types: list[PrinterType] = (
        visit.all_of("printer-type", bureau=visit.shop["uri"]) if visit.shop else []
    )
    return visit.show(
        "profiles",
        status,
        entries=settings_entries("profiles", visit.rights),
        form=form,
        chooses=any(not form[kind].is_hidden for kind in KINDS),
        profiles=[_profile(visit, row, types, len(rows)) for row in rows],
        outdated=_outdated(visit),
        cura=CURA_PATH if has_cura_machines(visit) else "",
    )


def _outdated(visit: PageContext) -> list[Context]:
    """The configs of presets that have changed since."""
    query = {"filter[kind]": "preset", "sort": "-created", "page[limit]": MAX_PROFILES}
    rows: list[Config] = visit.api.list("slicing", "/config/", **query)["resources"]
    return [
        {"name": profile_name(row), "compare": comparison_path(uuid_of(row["uri"]), CURRENT)}
        for row in rows
        if row["preset"] and row["preset"]["outdated"]
    ][:MAX_OUTDATED]


def _profile(visit: PageContext, row: Config, types: list[PrinterType], count: int) -> Context:
    users = [each for each in types if each["config"] == row["uri"]]
    person = visit.person["uri"] if visit.person else ""
    return {
        **row,
        "key": uuid_of(row["uri"]),
        "compare": comparison_path(uuid_of(row["uri"])) if is_comparable(row, count) else "",
        "created_at": datetime.fromisoformat(row["created"]),
        "notes": [note for note in row["notes"] if note["key"]],
        "used_by": [{"name": each["name"], "path": page_path(each["uri"])} for each in users],
        "may_delete": row["user_uri"] == person and not users,
    }
