"""Machines of Cura, and the nozzles, materials and qualities to choose for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlencode
from uuid import UUID

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from apps.console.views.base.page_urls import api_uri, uuid_of
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from apps.console.views.base.page import PageContext
    from manufacturing.generated.slicing import CuraChoices, CuraMachine

PATH = "/settings/profiles/cura/"
MAX_MACHINES = 1000
Row = TypeVar("Row")


class FittingChoices(NamedTuple):
    """What can be chosen of a machine, and what is chosen.

    replaced : names that do not fit the others, in whose place are the preferred ones
    """

    choices: CuraChoices
    replaced: list[str]


def cura_machines(visit: PageContext) -> list[CuraMachine]:
    """Return all machines, by maker and name; none where they are not installed."""
    query = {"page[limit]": MAX_MACHINES, "sort": "manufacturer,name"}
    rows: list[CuraMachine] = visit.api.list("slicing", "/cura-machine/", **query)["resources"]
    return rows


def has_cura_machines(visit: PageContext) -> bool:
    """Return whether machines of Cura are installed."""
    return bool(visit.api.list("slicing", "/cura-machine/", **{"page[limit]": 1})["resources"])


def find_machine(visit: PageContext, key: str) -> CuraMachine | None:
    """Return the machine with this key; None for what is no key. Raises ApiError."""
    try:
        uri = api_uri("cura-machine", UUID(key))
    except ValueError:
        return None
    machine: CuraMachine = visit.api.get(uri)
    return machine


def matching(rows: Iterable[Row], query: str, texts: Iterable[str]) -> list[Row]:
    """Return the rows whose text has each word of a query; a text for each row."""
    words = query.casefold().split()
    pairs = zip(rows, texts, strict=True)
    return [row for row, text in pairs if all(word in text.casefold() for word in words)]


def fitting_choices(
    visit: PageContext, machine: CuraMachine, chosen: Mapping[str, str]
) -> FittingChoices:
    """Return what can be chosen of a machine beside what is chosen.

    chosen : nozzle, material and quality; empty for the preferred one
    """
    wanted = {name: text for name, text in chosen.items() if text}
    replaced = []
    while True:
        query = f"?{urlencode(wanted)}" if wanted else ""
        try:
            choices: CuraChoices = visit.api.get(f"{machine['uri']}choices/{query}")
        except ApiError as declined:
            field = declined.errors[0].get("field", "")
            if field not in wanted:
                raise
            replaced.append(wanted.pop(field))
        else:
            return FittingChoices(choices, replaced)


def chosen_names(choices: CuraChoices) -> list[tuple[str, str]]:
    """Return label and name of nozzle, material and quality, without those there are none of."""
    materials = {row["identifier"]: row["name"] for row in choices["materials"]}
    qualities = {
        row["quality"]: quality_name(row["name"], row["layer_height"])
        for row in choices["qualities"]
    }
    names = {
        _("Nozzle"): choices["nozzle"],
        _("Material"): materials.get(choices["material"] or ""),
        _("Quality"): qualities.get(choices["quality"] or ""),
    }
    return [(label, name) for label, name in names.items() if name]


def quality_name(name: str, layer_height: float | None) -> str:
    """Return the name of a quality with its layer height."""
    return f"{name} · {number_format(layer_height)} mm" if layer_height else name


def page_of_machine(machine: CuraMachine) -> str:
    """Return the address of the page on which its profiles are made."""
    return f"{PATH}?{urlencode({'machine': uuid_of(machine['uri'])})}"


def bed_text(machine: CuraMachine) -> str:
    """Return the size of its build volume, mm; empty where it is unknown."""
    if not (volume := machine["build_volume"]):
        return ""
    sizes = (volume["x"], volume["y"], volume["z"])
    return f"{' × '.join(number_format(size, 0) for size in sizes)} mm"
