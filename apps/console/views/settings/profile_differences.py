"""Settings page "Compare profiles": the settings in which two slicer profiles differ."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias, cast
from urllib.parse import urlencode

from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Context, error_message
from apps.console.domain.settings_entries import settings_entries
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import uuid_of
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.slicing import Config, Difference, Differences

Choice: TypeAlias = tuple[str, str]
Group: TypeAlias = tuple[str, list[Choice]]

PATH = "/settings/profiles/compare/"
MAX_PROFILES = 100
MAX_SHORT = 100  # characters of a value that is shown at once
CURRENT = "now"
KINDS: dict[str, Promise] = {
    "printer": gettext_lazy("Printer"),
    "print": gettext_lazy("Print settings"),
    "filament": gettext_lazy("Filament"),
}


class ComparisonForm(forms.Form):
    """Which two are compared."""

    first = forms.ChoiceField(label=gettext_lazy("Profile"))
    other = forms.ChoiceField(label=gettext_lazy("Compare with"))

    def __init__(self, profiles: Sequence[Choice], others: Sequence[Group], **initial: str):
        super().__init__(initial=initial)
        cast(forms.ChoiceField, self.fields["first"]).choices = profiles
        cast(forms.ChoiceField, self.fields["other"]).choices = others


def comparison_path(key: str, other: str = "") -> str:
    """Return the address of the page for a config; `other` as in the form."""
    return f"{PATH}?{urlencode({'first': key, **({'other': other} if other else {})})}"


def is_comparable(row: Config, count: int) -> bool:
    """Return whether there is something to compare a config with, of `count` profiles."""
    return count > 1 or bool(row["inherits"]) or row["preset"] is not None


def profile_name(row: Config) -> str:
    """Return what a config is called: its description, or the names of its presets."""
    names = row["preset"]["names"].values() if row["preset"] else ()
    return row["description"] or " · ".join(names) or _("Unnamed profile")


@page("GET")
def compare(visit: PageContext) -> HttpResponse:
    """Choose two profiles, and show their differences."""
    if not visit.person:
        return visit.to_sign_in()
    query = visit.request.GET
    profiles = _profiles(visit, query.get("first", ""))
    first = next((row for row in profiles if uuid_of(row["uri"]) == query.get("first")), None)
    first = first or next(iter(profiles), None)
    others = _others(visit, first, profiles) if first else []
    keys = [key for _title, rows in others for key, _name in rows]
    other = query.get("other", "") if query.get("other", "") in keys else next(iter(keys), "")
    choices = [(uuid_of(row["uri"]), profile_name(row)) for row in profiles]
    key = uuid_of(first["uri"]) if first else ""
    result: Differences | None = None
    refused = []
    if first and other:
        try:
            result = visit.api.get(_address(first["uri"], other))
        except ApiError as declined:
            refused = [error_message(error) for error in declined.errors]
    return visit.show(
        "profile-differences",
        entries=settings_entries("profiles", visit.rights),
        form=ComparisonForm(choices, others, first=key, other=other),
        comparable=bool(keys),
        result=result,
        names=(profile_name(first) if first else "", _name_of(other, others)),
        groups=_groups(result) if result else [],
        refused=refused,
    )


def _address(first: str, other: str) -> str:
    kind, _dash, key = other.partition("-")
    query = {} if other == CURRENT else {"other": f"{base_url('slicing')}/{kind}/{key}/"}
    return f"{first}differences/" + (f"?{urlencode(query)}" if query else "")


def _profiles(visit: PageContext, key: str) -> list[Config]:
    """The profiles that were uploaded, and the config with this key, the newest first."""
    query = {"filter[kind]": "raw", "filter[fitted]": "false", "sort": "-created"}
    rows: list[Config] = visit.api.list(
        "slicing", "/config/", **query, **{"page[limit]": MAX_PROFILES}
    )["resources"]
    if key and key not in {uuid_of(row["uri"]) for row in rows}:
        try:
            named: Config | None = visit.api.find(f"{base_url('slicing')}/config/{key}/")
        except ApiError:
            named = None
        rows = [named, *rows] if named else rows
    return rows


def _others(visit: PageContext, first: Config, profiles: list[Config]) -> list[Group]:
    """What a profile can be compared with, in groups."""
    presets = [(CURRENT, _("Its presets as installed now"))] if first["preset"] else []
    for uri in first["inherits"]:
        if preset := visit.api.find(uri):
            presets.append((f"preset-{uuid_of(uri)}", f"{preset['name']} ({preset['vendor']})"))
    rows = [
        (f"config-{uuid_of(row['uri'])}", profile_name(row))
        for row in profiles
        if row["uri"] != first["uri"] and row["engine"] == first["engine"]
    ]
    groups = [(_("Presets"), presets), (_("Profiles"), rows)]
    return [(title, each) for title, each in groups if each]


def _name_of(other: str, groups: Sequence[Group]) -> str:
    return next((name for _title, rows in groups for key, name in rows if key == other), "")


def _groups(result: Differences) -> list[Context]:
    """The differences by the kind of their preset."""
    groups: list[Context] = []
    for kind, title in KINDS.items():
        rows = [_shown(row) for row in result["differences"] if row["kind"] == kind]
        if rows:
            groups.append({"kind": kind, "title": title, "rows": rows})
    return groups


def _shown(row: Difference) -> Context:
    values = [row["first"], row["second"]]
    return {"key": row["key"], "values": [_value(each) for each in values], "cut": row["shortened"]}


def _value(value: str | None) -> Context:
    """A value for a page: a long one, such as G-code, is shown on demand."""
    text = (value or "").strip('"').replace("\\n", "\n")
    is_long = len(text) > MAX_SHORT or text.count("\n") > 1
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return {
        "text": text,
        "is_missing": not text,
        "is_long": is_long,
        "start": lines[0][:MAX_SHORT] if is_long and lines else "",
    }
