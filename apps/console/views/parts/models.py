"""Models: upload, analysis, preview, rename, delete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID, uuid4

from django import forms
from django.http import HttpResponse
from django.utils import timezone
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import STAGES, Context, Shown, error_message
from apps.console.domain.model_report import is_awaited, printability, probable_unit, verdict
from apps.console.views.base.page import PageContext, blame, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path, pages_of
from apps.console.views.orders.price_matrix import matrix_of, table_of
from apps.console.views.orders.prices import table_form
from apps.console.views.parts.part_labels import assign, labels_of_page
from apps.console.views.parts.part_tools import repairs_of, twins_of
from apps.console.views.parts.part_versions import version_numbers, versions_of
from core.files.signed_urls import upload_url
from core.uris import base_url
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from manufacturing.generated.models import Instance, Model

A_PAGE = 24
MAX_ITEMS = 1000  # order lines that are counted
MAX_RECENT = 8  # uploads whose shapes are compared with those of other parts
MAX_OBJECTS = 500  # in a file that was taken apart
LIST_ARGUMENTS = ("page[after]", "page[offset]", "search[name]", "filter[folder]", "filter[tag]")
# What follows a verdict is waited for as long, and no longer: it may have failed.
RECENT = timedelta(minutes=3)
TYPES = ("stl", "3mf", "obj", "ply", "off", "glb", "gltf", "step", "iges", "zip")


class DropForm(forms.Form):
    """What a model is called, and what its file is; each page that shows it has its own `key`."""

    name = forms.CharField(label=_("Name"), max_length=255)
    type = forms.ChoiceField(
        label=_("File type"),
        choices=[(word, word.upper()) for word in TYPES],
        error_messages={
            "invalid_choice": format_lazy(
                "{} {}.",
                _("Files of the type “%(value)s” cannot be printed. Upload one of these:"),
                ", ".join(word.upper() for word in TYPES),
            )
        },
    )
    key = forms.CharField(widget=forms.HiddenInput)


class VersionForm(DropForm):
    """What a file is that becomes the next version of a part."""

    note = forms.CharField(label=_("What has changed"), max_length=1000, required=False)
    field_order = ("name", "type", "note", "key")


class NameForm(forms.Form):
    """A new name."""

    name = forms.CharField(label=_("Name"), max_length=255)


@page("GET", "POST")
def drop(visit: PageContext) -> HttpResponse:
    """Where files are dropped, and what was dropped before."""
    form = DropForm(visit.request.POST if visit.posted else None, initial={"key": uuid4()})

    def make() -> HttpResponse:
        body = {name: form.cleaned_data[name] for name in ("name", "type")}
        uri = f"{base_url('models')}/model/"
        return visit.go(visit.api.ask("POST", uri, body, key=key_of(form))["Location"])

    done, status = handle_form(form, make)
    return done or _listed(visit, form, status)


@page("GET", "POST")
def new_version(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A file becomes the next version of a part, whose name and type it has at first."""
    old: Model = visit.api.get(api_uri("model", uuid))
    newest = next((row for row in versions_of(visit, old) if row["is_newest"]), None)
    if not visit.posted and newest and not newest["is_here"]:
        return visit.go(f"{newest['path']}version/")
    first = {"name": old["name"], "type": old["type"], "key": uuid4()}
    form = VersionForm(visit.request.POST if visit.posted else None, initial=first)

    def make() -> HttpResponse:
        key, body = key_of(form), form.cleaned_data
        model = {name: body[name] for name in ("name", "type")}
        uri = visit.make("models", "model", model, key=key)
        version = {"model": uri, "replaces": old["uri"], "note": body["note"]}
        try:
            visit.make("models", "model/versions", version, key=key)
        except ApiError:
            visit.api.ask("DELETE", uri)
            raise
        return visit.go(uri)

    done, status = handle_form(form, make)
    return done or visit.show(
        "part-version", status, form=form, model={**old, "path": page_path(old["uri"])}
    )


@page("POST")
def label(visit: PageContext) -> HttpResponse:
    """Give the selected parts a folder or a tag."""
    try:
        done, refused = assign(visit)
    except ApiError as declined:
        done, refused = None, [error_message(error) for error in declined.errors]
    return done or _listed(visit, DropForm(initial={"key": uuid4()}), 400, refused)


def _listed(
    visit: PageContext, form: DropForm, status: int, refused: Sequence[str] = ()
) -> HttpResponse:
    """The parts library: folders and tags, and a page of parts."""
    arguments = {name: visit.request.GET.get(name) for name in LIST_ARGUMENTS}
    all_versions = visit.request.GET.get("versions") == "all"
    newest = {} if all_versions else {"filter[newest_version]": "true"}
    parts = visit.api.list("models", "/model/", **arguments, **newest, **{"page[limit]": A_PAGE})
    models = [described_model(model) for model in parts["resources"]]
    recent = [str(row["uri"]) for row in models if row["is_recent"] and row["can_be_sliced"]]
    twins, orders = twins_of(visit, recent[:MAX_RECENT]), _orders(visit, parts["resources"])
    labels = labels_of_page(visit, parts["resources"])
    versions = version_numbers(visit, parts["resources"])
    for row, part in zip(models, parts["resources"], strict=True):
        row["label"] = labels["of"].get(part["uri"])
        made, uri = datetime.fromisoformat(part["created"]), part["uri"]
        older = [twin for twin in twins.get(uri, ()) if twin["created"] < made]
        row |= {"twins": older, "orders": orders.get(uri, 0), "version": versions.get(uri)}
    return visit.show(
        "models",
        status,
        form=form,
        models=models,
        count=parts["meta"]["count"],
        sought=arguments["search[name]"] or "",
        labels=labels,
        all_versions=all_versions,
        refused=refused,
        is_filtered=any(arguments[name] for name in LIST_ARGUMENTS[2:]),
        pages=pages_of(parts),
        busy=any(model["is_busy"] for model in models),
    )


def _orders(visit: PageContext, models: list[Model]) -> dict[str, int]:
    """How many lines of orders have each of these parts, in all shops of the person."""
    uris = ",".join(model["uri"] for model in models)
    items = visit.all_of("line-item", limit=MAX_ITEMS, model=uris) if uris else []
    return Counter(item["model"] for item in items if item["status"] != "cancelled")


@page("GET")
def model(visit: PageContext, uuid: UUID) -> HttpResponse:
    return _shown(visit, uuid, NameForm)


@page("POST")
def rename(visit: PageContext, uuid: UUID) -> HttpResponse:
    form = NameForm(visit.request.POST)
    if not form.is_valid():
        return _shown(visit, uuid, lambda **_: form, 400)
    try:
        visit.api.ask("PUT", api_uri("model", uuid), form.cleaned_data)
    except ApiError as declined:
        blame(form, declined)
        return _shown(visit, uuid, lambda **_: form, declined.http_status)
    return visit.go(api_uri("model", uuid), done="renamed")


@page("POST")
def make_profile(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Make a slicer profile of the settings in the file of a part."""
    uri, key = api_uri("model", uuid), visit.request.POST.get("key", "")
    try:
        visit.make("slicing", "config/bundle", {"model": uri}, key=key)
    except ApiError as declined:
        refused = [error_message(error) for error in declined.errors]
        return _shown(visit, uuid, NameForm, declined.http_status, refused)
    return visit.go("/settings/profiles/", done="created")


@page("GET", "POST")
def delete(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Asks first: it is a page of its own, which names the orders that still need the model."""
    status, refused, orders = 200, [], []
    if visit.posted:
        try:
            visit.api.ask("DELETE", api_uri("model", uuid))
            return visit.go("/model/", done="deleted")
        except ApiError as declined:
            status, (error, *_rest) = declined.http_status, declined.errors
            refused = [error_message(error)]
            details: Any = error.get("details") or {}
            uris = details.get("orders", ())
            orders = [order for uri in uris if (order := visit.api.find(uri))]
    return visit.show(
        "delete",
        status,
        model=described_model(visit.api.get(api_uri("model", uuid))),
        refused=refused,
        orders=[{"name": order["name"], "path": page_path(order["uri"])} for order in orders],
    )


@page("POST")
def scale(visit: PageContext, uuid: UUID) -> HttpResponse:
    """Makes the model again in millimetres, by the factor of its probable unit."""
    unit = probable_unit(visit.api.get(api_uri("model", uuid)))
    if unit is None:
        return visit.go(api_uri("model", uuid))
    percent = dict.fromkeys("xyz", unit["factor"] * 100)
    steps = {"transformations": [{"type": "scale", "parametersScale": percent}]}
    key = visit.request.POST.get("key", "")
    made = visit.api.ask("POST", f"{api_uri('model', uuid)}transformation/", steps, key=key)
    return visit.go(made["Location"], done="scaled")


def _shown(
    visit: PageContext,
    uuid: UUID,
    make_form: Callable[..., forms.Form],
    status: int = 200,
    refused: Sequence[str] = (),
) -> HttpResponse:
    """The page of a model, with its form for another name.

    refused : why no slicer profile could be made of its file
    """
    model: Model = visit.api.get(api_uri("model", uuid))
    found = described_model(model)
    slices = visit.api.list(
        "slicing", "/slice/", **{"filter[model]": model["uri"], "page[limit]": 10}
    )["resources"]
    for row in slices:
        row |= {"path": page_path(row["uri"]), "stage_words": STAGES[row["status"]]}
        row["created"] = datetime.fromisoformat(row["created"])
    objects = _objects(visit, model)
    repairs = repairs_of(visit, model["uri"]) if _can_repair(model) else []
    twins = twins_of(visit, [model["uri"]]) if found["can_be_sliced"] else {}
    prices = _prices(visit, model) if found["can_be_sliced"] else {}
    own = visit.person is not None and model["user_uri"] == visit.person["uri"]
    upload = ""
    if own and is_awaited(model):
        whose = UUID(str(visit.person and visit.person["uuid"]))
        upload = upload_url("model", uuid, owner=whose, then=base_url("") + page_path(model["uri"]))
    return visit.show(
        "model",
        status,
        model=found,
        lines=(lines := printability(model)),
        marks=[line for line in lines if line.at],
        unit=probable_unit(model),
        key=uuid4(),
        slices=slices,
        objects=objects,
        can_repair=_can_repair(model) and not repairs,
        repairs=repairs,
        versions=(versions := versions_of(visit, model)),
        newest=next((row for row in versions if row["is_newest"] and not row["is_here"]), None),
        left_out=_left_out(model),
        profile=_profile(model) if visit.person else None,
        refused=refused,
        upload=upload,
        may_change=visit.api.may("PUT", model["uri"]),
        may_delete=visit.api.may("DELETE", model["uri"]),
        prices=prices,
        may_order=not visit.shop or visit.works_in_shop,
        twins=twins.get(model["uri"]),
        form=make_form(initial={"name": model["name"]}),
        busy=found["is_busy"]
        or any(row["status"] in ("queued", "processing") for row in slices)
        or any(row["is_busy"] for row in objects)
        or any(row["busy"] for row in repairs)
        or bool(prices.get("matrix") and prices["matrix"]["is_waiting"]),
    )


def _prices(visit: PageContext, model: Model) -> Context:
    """What the page shows of its prices in the person's shop; nothing without the right to it."""
    if visit.shop is None or "price.all" not in visit.rights:
        return {}
    shop = visit.shop
    table = table_of(visit, model["uri"], shop)
    matrix = matrix_of(visit, table) if table else None
    if matrix:
        matrix["models"] = [row for row in matrix["models"] if row["uri"] == model["uri"]]
    return {
        "form": table_form(visit, shop["uri"], table=table),
        "matrix": matrix,
        "shop": {**shop, "path": page_path(shop["uri"])},
        "key": visit.form_key,
    }


def _can_repair(model: Model) -> bool:
    """Whether its mesh has a fault that the built-in healing may mend."""
    found = model["analyses"]
    sound = found["manifold"] and not found["inverted"]
    return model["status"] == "processed" and not sound


def _objects(visit: PageContext, model: Model) -> list[Shown]:
    """What was taken out of a file, with how often and on which plates it is there."""
    if model["conversion"] is None:
        return []
    query = {"filter[parent]": model["uri"], "sort": "created", "page[limit]": MAX_OBJECTS}
    found = visit.api.list("models", "/model/", **query)["resources"]
    return [_placed(row, row["source"]["instances"]) for row in found if row["source"]]


def _placed(model: Model, places: list[Instance]) -> Shown:
    plates = sorted({place["plate"] for place in places if place["plate"] is not None})
    return {**described_model(model), "count": len(places), "plates": ", ".join(map(str, plates))}


def _profile(model: Model) -> Shown | None:
    """The program and the names of the presets whose settings are in its file."""
    receipt = (model["conversion"]["receipt"] if model["conversion"] else None) or {}
    profiles = receipt.get("profiles") if model["type"] == "3mf" else None
    return profiles[0] if profiles else None


def _left_out(model: Model) -> list[tuple[int, str]]:
    """How many there are of what no object of a file holds, in the API's words."""
    receipt = (model["conversion"]["receipt"] if model["conversion"] else None) or {}
    return [(count, what) for what, count in (receipt.get("left_out_counts") or {}).items()]


def described_model(model: Model) -> Shown:
    """The API's model, with what a page says of it beside what programs get."""
    judged = model["status"] == "processed"
    since = timezone.now() - RECENT
    young = datetime.fromisoformat(model["updated"]) > since
    created = datetime.fromisoformat(model["created"])
    drawn = model["snapshot"] and model["analyses"]["printability"]
    waits = model["status"] == "processing" and not is_awaited(model)
    converting = bool(model["conversion"] and model["conversion"]["status"] == "processing")
    return {
        **model,
        "path": page_path(model["uri"]),
        "verdict": verdict(model),
        "created": created,
        "is_recent": created > since,
        "is_analysing": waits or converting,
        "is_busy": waits or converting or (judged and young and not drawn),
        "can_be_sliced": judged,
        "volume_cc": model["volume_mm"] and model["volume_mm"] / 1000,
    }
