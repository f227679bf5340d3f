"""Adding a printer: of the catalogue of printer models, of a type that the shop has, or another."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

from django import forms
from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.console.domain.messages import Context, JsonValue, Row, Shown
from apps.console.views.base.page import PageContext, handle_form, page
from apps.console.views.base.page_urls import api_uri, uri_choices, uuid_of
from apps.console.views.printers.cura_machines import (
    bed_text,
    chosen_names,
    cura_machines,
    find_machine,
    fitting_choices,
    matching,
    page_of_machine,
)
from apps.console.views.printers.shop_engines import engine_for, shop_engines
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau
    from manufacturing.generated.slicing import CuraChoices, CuraMachine, Engine, Preset

MAX_PRINTERS = 1000  # that are read at once
MAX_CATALOGUE = 10_000  # models of the catalogue
MAX_RESULTS = 24  # models that a page shows
MAX_MAKERS = 12  # that are offered as filters
GAP = 4  # mm between the pieces of a plate
# Of a printer that is not in the catalogue.
USUAL_BED: dict[str, float] = {"x": 220, "y": 220, "z": 250}


@dataclass(frozen=True)
class Choice:
    """What is added.

    preset  : URI of the model in the catalogue; empty for another one
    engine  : URI of the slicer in the shop that makes its G-code; empty for that of the platform
    type    : URI of a printer type that the shop has; empty for a new one
    machine : of Cura, with the nozzle, material and quality of its config
    """

    title: str
    preset: str = ""
    type: str = ""
    engine: str = ""
    machine: CuraMachine | None = None
    choices: CuraChoices | None = None

    @property
    def has_bed(self) -> bool:
        """Whether the size of its bed is known."""
        return bool(self.preset or (self.machine and self.machine["build_volume"]))

    @property
    def chosen(self) -> list[tuple[str, str]]:
        """Label and name of what the config of a machine of Cura is made of."""
        return chosen_names(self.choices) if self.choices else []

    @property
    def profile_path(self) -> str:
        """The page on which other profiles of a machine of Cura are made; empty for others."""
        return page_of_machine(self.machine) if self.machine else ""


@dataclass(frozen=True)
class CatalogueModel:
    """A model of the catalogue: a preset, or a machine of Cura."""

    maker: str
    name: str
    preset: Preset | None = None
    machine: CuraMachine | None = None

    @property
    def text(self) -> str:
        """What a search finds."""
        return f"{self.maker} {self.name}"


class PrinterForm(forms.Form):
    """A printer of a model that was chosen."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=200)
    location = forms.ChoiceField(label=gettext_lazy("Location"))
    x = forms.FloatField(label=gettext_lazy("Bed width (mm)"), initial=USUAL_BED["x"], min_value=1)
    y = forms.FloatField(label=gettext_lazy("Bed depth (mm)"), initial=USUAL_BED["y"], min_value=1)
    z = forms.FloatField(
        label=gettext_lazy("Print height (mm)"), initial=USUAL_BED["z"], min_value=1
    )
    hour = forms.FloatField(
        label=gettext_lazy("Machine cost per hour"), initial=2, min_value=0, required=False
    )
    materials = forms.MultipleChoiceField(
        label=gettext_lazy("Materials"),
        widget=forms.CheckboxSelectMultiple(attrs={"class": "form-check-input"}),
        required=False,
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def __init__(self, *args: JsonValue, choice: Choice, options: Context, **more: JsonValue):
        super().__init__(*args, **more)
        for name, choices in options.items():
            self.fields[name].choices = choices  # type: ignore[attr-defined]
        self.fields["materials"].initial = [uri for uri, _name in options["materials"]]
        left_out = ("x", "y", "z") if choice.has_bed else ()
        for name in ("x", "y", "z", "hour", "materials") if choice.type else left_out:
            del self.fields[name]


@page("GET", "POST")
def add(visit: PageContext) -> HttpResponse:
    """The catalogue; then the form of a printer of the model that was chosen."""
    shop = visit.shop
    if not visit.person:
        return visit.to_sign_in()
    if shop is None:
        return visit.go("/bureau/")
    visit.require("printer.all")
    locations = visit.all_of("location", bureau=shop["uri"])
    if not locations:
        return visit.go("/location/new/")
    choice = _choice(visit)
    if choice is None:
        return visit.show("printer-catalogue", **_catalogue(visit, shop))
    materials = visit.all_of("material", bureau=shop["uri"], type="base")
    form = PrinterForm(
        visit.request.POST if visit.posted else None,
        choice=choice,
        options={
            name: uri_choices(rows)
            for name, rows in (("location", locations), ("materials", materials))
        },
        initial={
            "key": visit.form_key,
            "name": _next_name(visit, shop, choice),
            "location": visit.request.GET.get("location", locations[0]["uri"]),
        },
    )

    def make() -> HttpResponse:
        values = form.cleaned_data
        made = choice.type or make_printer_type(
            visit,
            shop["uri"],
            values | {"workflow": _("Print on %(printer)s") % {"printer": choice.title}},
            machine_of(visit, choice, values),
        )
        about = {"printer_type": made, "name": values["name"], "driver": "manual"}
        printer = {"location": values["location"], **about}
        return visit.go(visit.make("erp", "printer", printer, key=values["key"]), done="created")

    done, status = handle_form(form, make)
    return done or visit.show("printer-add", status, form=form, choice=choice)


def _choice(visit: PageContext) -> Choice | None:
    """What the address names; None where nothing is chosen yet."""
    arguments = visit.request.GET
    for name, kind in (("type", "printer-type"), ("preset", "preset")):
        if key := arguments.get(name, ""):
            try:
                uri = api_uri(kind, UUID(key))
            except ValueError:
                return None
            row = visit.api.get(uri)
            if kind == "printer-type":
                return Choice(row["name"], type=uri)
            engine = _engine_of(visit, row)
            return Choice(row["name"], preset=uri, engine=engine["uri"] if engine else "")
    if machine := find_machine(visit, arguments.get("cura", "")):
        choices = fitting_choices(visit, machine, {}).choices
        return Choice(machine["name"], machine=machine, choices=choices)
    return Choice(_("Other printer")) if "other" in arguments else None


def _engine_of(visit: PageContext, preset: Preset) -> Engine | None:
    """The slicer in the shop that slices by the profile which a preset was translated from."""
    return engine_for(shop_engines(visit), preset) if preset["estimate_only"] else None


def _next_name(visit: PageContext, shop: Bureau, choice: Choice) -> str:
    """A name that no printer of the shop has: that of the model, with a number."""
    rows = visit.all_of("printer", limit=MAX_PRINTERS, bureau=shop["uri"])
    taken = {row["name"] for row in rows}
    numbered = (f"{choice.title} {number}" for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def machine_of(visit: PageContext, choice: Choice, values: Row) -> Shown:
    """Return what a printer type is called, and how it prints: a preset, or a bed."""
    if choice.preset:
        engine = {"engine": choice.engine} if choice.engine else {}
        return {"name": choice.title, "preset": choice.preset, **engine}
    if choice.machine:
        bed = choice.machine["build_volume"] or _bed_of_form(values)
        config = make_cura_config(visit, choice, key=values["key"])
        return {"name": choice.title, "build_volume": bed, "config": config}
    return usual_machine(visit, _bed_of_form(values), key=values["key"])


def _bed_of_form(values: Row) -> dict[str, float]:
    return {axis: values[axis] or usual for axis, usual in USUAL_BED.items()}


def make_cura_config(visit: PageContext, choice: Choice, *, key: str) -> str:
    """Return the URI of a config of a machine of Cura, with the profiles that are chosen."""
    machine, choices = choice.machine, choice.choices
    if machine is None or choices is None:
        raise ValueError(choice)
    body = {
        "printer": machine["identifier"],
        "nozzle": choices["nozzle"] or "",
        "material": choices["material"] or "",
        "quality": choices["quality"] or "",
    }
    return visit.make("slicing", "config/bundle", body, key=key)


def usual_machine(visit: PageContext, bed: dict[str, float], *, key: str) -> Shown:
    """Return a printer that is in no catalogue, with a usual config."""
    usual = {"engine": "slic3r", "parameters": {"infill_density": 20}}
    config = visit.make("slicing", "config/curated", usual, key=key)
    return {"name": _("Printer"), "build_volume": bed, "config": config}


def make_printer_type(visit: PageContext, shop: str, values: Row, machine: Row) -> str:
    """Return the URI of a new printer type, by which a workflow of its own prints.

    values  : `materials`, `hour` (cost), `supports`, `infill`, `workflow` (its name), `key`
    machine : as `machine_of` returns it
    """

    def make(kind: str, **body: object) -> str:
        return visit.make("erp", kind, body, key=values["key"])

    made = make(
        "printer-type",
        bureau=shop,
        packing_mode="plate",
        minimum_packing_distance=GAP,
        slice_runs=True,
        running_cost_per_hour=values["hour"] or 0,
        materials=values["materials"],
        supports=values.get("supports") or "auto",
        infill=values.get("infill"),
        **machine,
    )
    workflow = make("workflow", bureau=shop, name=values["workflow"])
    make("process-step", workflow=workflow, step_position=1, process_type=made)
    return made


def presets(visit: PageContext) -> list[Preset]:
    """Return the printer models that can be sliced for, by maker and name.

    None where PrusaSlicer is not installed: machines of Cura need CuraEngine alone.
    """
    query = {"filter[kind]": "printer", "filter[usable]": "true", "page[limit]": MAX_PRINTERS}
    rows: list[Preset] = []
    for offset in range(0, MAX_CATALOGUE, MAX_PRINTERS):
        try:
            page = visit.api.list("slicing", "/preset/", **query, **{"page[offset]": offset})
        except ApiError as declined:
            if any(error["code"] == "engine-not-installed" for error in declined.errors):
                return []
            raise
        rows += page["resources"]
        if len(page["resources"]) < MAX_PRINTERS:
            break
    return sorted(rows, key=lambda row: (row["vendor"], row["name"]))


def _catalogue(visit: PageContext, shop: Bureau) -> Context:
    """The models that match the search, the makers, and the types that the shop has."""
    arguments = visit.request.GET
    query, maker = arguments.get("q", "").strip(), arguments.get("maker", "")
    place = {"location": arguments["location"]} if "location" in arguments else {}
    may_make_types = "printer_type.all" in visit.rights
    every = _models(visit) if may_make_types else []
    engines = shop_engines(visit)
    matches = matching(every, query, [row.text for row in every])
    makers = Counter(row.maker for row in matches if row.maker)
    models = [row for row in matches if not maker or row.maker == maker]

    def address(**values: str) -> str:
        return f"/printer/add/?{urlencode({**place, **values})}"

    return {
        "sought": query,
        "may_make_types": may_make_types,
        "count": len(models),
        "total": len(every),
        "makers": [
            {
                "title": name,
                "count": n,
                "path": address(q=query, maker=name),
                "chosen": name == maker,
            }
            for name, n in makers.most_common(MAX_MAKERS)
        ],
        "all": address(q=query),
        "maker": maker,
        "place": place,
        "models": [
            {**_shown_model(row, engines), "path": address(**_key_of(row))}
            for row in models[:MAX_RESULTS]
        ],
        "types": [
            {"title": row["name"], "path": address(type=uuid_of(row["uri"]))}
            for row in visit.all_of("printer-type", bureau=shop["uri"])
        ],
        "other": address(other="yes"),
    }


def _models(visit: PageContext) -> list[CatalogueModel]:
    """The models of PrusaSlicer's presets and of others, then the machines of Cura."""
    return [
        *(CatalogueModel(row["vendor"], row["name"], preset=row) for row in presets(visit)),
        *(
            CatalogueModel(row["manufacturer"] or "", row["name"], machine=row)
            for row in cura_machines(visit)
        ),
    ]


def _shown_model(model: CatalogueModel, engines: list[Engine]) -> Context:
    preset, machine = model.preset, model.machine
    shown: Context = {"title": model.name, "maker": model.maker}
    if preset:
        shown["bed"], shown["nozzle"] = _bed(preset), preset["nozzle_diameter"]
        shown["possible"] = _possible(preset, engines)
    elif machine:
        shown["bed"], shown["slicer"] = bed_text(machine), "Cura"
        shown["possible"] = {"label": _("Slice and print"), "sign": "ok"}
    return shown


def _key_of(model: CatalogueModel) -> dict[str, str]:
    """The argument of the address that names a model."""
    if model.preset:
        return {"preset": uuid_of(model.preset["uri"])}
    return {"cura": uuid_of(model.machine["uri"])} if model.machine else {}


def _possible(preset: Preset, engines: list[Engine]) -> Context:
    """What can be done with a model: a label, and the sign of its chip."""
    if not preset["estimate_only"]:
        return {"label": _("Slice and print"), "sign": "ok"}
    if engine := engine_for(engines, preset):
        label = _("%(slicer)s in the shop") % {"slicer": preset["origin"]}
        return {"label": label, "sign": "ok" if engine["usable"] else "warn"}
    return {"label": _("Estimate"), "sign": "warn"}


def _bed(preset: Preset) -> str:
    """The size of a model's build volume, mm; empty where it is unknown."""
    if not (bed := preset["bed"]) or not bed["outline"]:
        return ""
    sides = [max(axis) - min(axis) for axis in zip(*bed["outline"], strict=True)]
    sizes = [*sides, *([bed["height"]] if bed["height"] else [])]
    return f"{' × '.join(number_format(size, 0) for size in sizes)} mm"
