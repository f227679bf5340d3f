"""Settings: entries beside each page, the shop, its people and their rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.http import HttpResponse
from django.utils.translation import gettext as _

from apps.console.domain.messages import Context, JsonValue
from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.domain.settings_entries import settings_entries
from apps.console.domain.value_labels import value_label
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import uuid_of
from apps.console.views.generic.resources import described
from apps.console.views.settings import shop_profile

if TYPE_CHECKING:
    from collections.abc import Iterable


@page("GET", "POST")
def settings(visit: PageContext) -> HttpResponse:
    """The settings of the current shop: its profile and brand, and the entries of all others."""
    if not visit.person:
        return visit.to_sign_in()
    if not visit.shop:
        return visit.go("/settings/people/")
    row = visit.api.get(visit.shop["uri"])
    if not visit.api.may("PUT", row["uri"]):
        return visit.show("resource", **described(visit, BY_NAME["bureau"], row))
    return shop_profile.shop_forms(visit, row)


@page("GET")
def people(visit: PageContext) -> HttpResponse:
    """The people of the current shop, and what each may do."""
    if not visit.person:
        return visit.to_sign_in()
    visit.require("bureau.permission.all", "location.permission.all")
    shop = visit.shop
    names = {row["uri"]: row["name"] or row["username"] for row in visit.members}
    if visit.person:
        names.setdefault(visit.person["uri"], visit.person["name"] or visit.person["username"])
    where: Context = {"bureau": shop["uri"]} if shop else {}
    joined = visit.all_of("membership-bureau", limit=1000, **where) if shop else []
    rights = visit.all_of("permission-bureau", limit=1000, **where) if shop else []
    local = visit.all_of("permission-location", limit=1000, **where) if shop else []
    sites = visit.all_of("membership-location", limit=1000, **where) if shop else []
    places = {row["uri"]: row["name"] for row in visit.all_of("location", **where)} if shop else {}
    uris = dict.fromkeys(row["user"] for row in (*joined, *rights, *local, *sites))
    may = bool(shop and visit.api.get(shop["uri"]) and _grants(visit, rights))
    return visit.show(
        "people",
        entries=settings_entries("people", visit.rights),
        shop=shop,
        may=may,
        account=uuid_of(visit.person["uri"]) if visit.person else "",
        people=[
            {
                "uri": uri,
                "name": names.get(uri, _("No longer a member")),
                "membership": next((_key(row) for row in joined if row["user"] == uri), ""),
                "rights": _rights(row for row in rights if row["user"] == uri),
                "sites": _sites(uri, sites, local, places),
            }
            for uri in uris
        ],
    )


def _key(row: JsonValue) -> str:
    return uuid_of(row["uri"])


def _rights(rows: Iterable[JsonValue]) -> list[Context]:
    return [{"key": _key(row), "words": value_label(row["right"])} for row in rows]


def _sites(
    uri: str, sites: list[JsonValue], local: list[JsonValue], places: dict[str, str]
) -> list[JsonValue]:
    """The locations to which a person belongs, or has a right, each with these rights."""
    mine = [row for row in (*sites, *local) if row["user"] == uri]
    return [
        {
            "name": places.get(place, ""),
            "rights": _rights(
                row for row in local if row["user"] == uri and row["location"] == place
            ),
        }
        for place in dict.fromkeys(row["location"] for row in mine)
    ]


def _grants(visit: PageContext, rights: list[JsonValue]) -> bool:
    """Whether the visitor may grant rights in the shop."""
    me = visit.person["uri"] if visit.person else ""
    return any(row["user"] == me and row["right"] == "bureau.permission.all" for row in rights)
