"""Service layer: create, cancel, retry and delete slices."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any, TypedDict

from django.db import transaction
from django.db.models import QuerySet

from apps.callbacks import interface as callbacks
from apps.payment import interface as payment
from apps.slicing.actors import (
    complete_shop_slice,
    resume_equal_slices,
    send_to_slicing,
    slice_model,
    tell_settled,
)
from apps.slicing.domain.config_check import one_check_of, rejection_of
from apps.slicing.domain.constraint_checks import broken_constraints, use_of
from apps.slicing.domain.engine_jobs import end_job
from apps.slicing.domain.planning import plan
from apps.slicing.domain.stored_slices import StoredSlice, stored_slice
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Config, Slice
from apps.slicing.models.slice import PlateBuild
from apps.slicing.services.configs import find_config
from apps.slicing.services.layers import stop_paths
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.api.money import MoneyAnswer
from core.auth_user import Person
from core.errors import (
    Conflict,
    ErrorEntry,
    InvalidFields,
    ServiceError,
    UnknownResource,
    error_entry,
)
from core.postgres import advisory_locks
from core.queue.row_jobs import cancel_jobs
from core.text.server_paths import without_folders

# What a slice is to those who set prices.
PRICED = {"namespace": "slicing", "action": "slice"}


class SliceRefused(Conflict):
    """The model cannot be sliced at all, or constraints forbid this config."""

    def __init__(self, reasons: list[ErrorEntry]):
        super().__init__(" ".join(reason["title"] for reason in reasons))
        self.reasons = reasons

    def entries(self) -> list[ErrorEntry]:
        return self.reasons


@transaction.atomic
def create(
    *,
    actor: Person,
    model: str,
    config: str,
    callback: dict[str, str] | None = None,
    plate: Mapping[str, object] | None = None,
) -> Slice:
    """A slice of the model with this URI, by the config with that one; it waits for both.

    plate : of a packed run, the pieces that the model is made of; see Slice
    """
    stored_model, stored_config = _find(model, config, actor)
    if reasons := _refusals(stored_model, stored_config):
        raise SliceRefused(reasons)
    row = Slice.objects.create(
        owner=actor, model_uri=stored_model.uri, config=stored_config, plate=plate
    )
    payment.authorise(owner=actor, source=row.uri, **PRICED)
    if callback:
        callbacks.subscribe(uri=row.uri, owner_id=actor.pk, **callback)
    send_to_slicing(row, stored_model)
    return row


class UsedParameter(TypedDict):
    """A parameter as a slice uses it; `source` is "config" or "default"."""

    value: Any
    source: str


@dataclass(frozen=True)
class Preview:
    """What `create` would do, and the expected result as far as it is known."""

    model: str
    config: str
    engine: str
    parameters: dict[str, UsedParameter]
    refusals: list[Any]
    cost: MoneyAnswer | None
    failures: list[Any] = field(default_factory=list)
    warnings: list[Any] = field(default_factory=list)
    cached: bool = False
    slice_time: int | None = None
    estimates: Any = None
    engine_version: str | None = None


@dataclass(frozen=True)
class UsedSettings:
    """The settings that a slice is made with, as far as they are known.

    layer_height : mm
    presets      : names, by kind; None without presets
    parameters   : curated parameter -> its value and source
    """

    layer_height: float | None
    presets: dict[str, str] | None
    parameters: dict[str, UsedParameter]


def used_settings(row: Slice) -> UsedSettings:
    """The effective settings of a slice."""
    stored = stored_slice(row)
    return UsedSettings(stored.layer_height, stored.presets, _parameters_of(row.config))


def preview_slice(*, actor: Person, model: str, config: str) -> Preview:
    """The preview of a slice that is not made."""
    stored_model, stored_config = _find(model, config, actor)
    refusals = _refusals(stored_model, stored_config)
    quoted = payment.quote(owner=actor, **PRICED)
    if quoted and quoted.rejection:
        refusals = [*refusals, *quoted.rejection.entries()]
    preview = Preview(
        model=stored_model.uri,
        config=stored_config.uri,
        engine=stored_config.engine,
        parameters=_parameters_of(stored_config),
        refusals=refusals,
        cost={"amount": quoted.amount, "currency": quoted.currency} if quoted else None,
    )
    if stored_model.status == "processing":
        title = "The model is still being analysed: whether it can be sliced is known after that."
        return replace(preview, warnings=[error_entry("model-not-judged", title)])
    try:
        planned = plan(stored_model, stored_config)
    except SliceFailed as failure:
        title = without_folders(failure.title)
        return replace(preview, failures=[error_entry(failure.code, title)])
    equal = Slice.objects.filter(key=planned.key, status=Slice.Status.PROCESSED).first()
    if equal is None:
        with one_check_of(actor.pk):
            rejection = rejection_of(planned.engine, planned.settings)
        if rejection:
            title = without_folders(rejection.title)
            return replace(preview, failures=[error_entry(rejection.code, title)])
    if quoted and Slice.is_paid(planned.key, owner_id=actor.pk):
        preview = replace(preview, cost={"amount": Decimal(), "currency": quoted.currency})
    return replace(
        preview,
        warnings=planned.warnings,
        cached=equal is not None,
        engine_version=planned.version,
        slice_time=equal.slice_time if equal else None,
        estimates=equal.estimates if equal else None,
    )


def change(*, actor: Person, row: Slice) -> None:
    """Nothing of a slice can be changed: only whether `actor` might is checked."""
    row.require(actor, "write")


@transaction.atomic
def delete(*, actor: Person, row: Slice) -> None:
    """Take a slice out of sight; an engine that works on it is ended.

    For its owner, and holders of the right `delete` on it.
    """
    advisory_locks.advisory_lock(row.key)  # before the row, as who ends it does
    row.delete_by(actor)
    payment.release(source=row.uri)
    stop_paths(row)
    if not row.is_over:
        end_job(row)
        cancel_jobs(slice_model, complete_shop_slice, on=[row])
        row.refresh_from_db(fields=["key"])
        resume_equal_slices(row.key)
        tell_settled(row)


def cancel_slices(*, actor: Person, rows: QuerySet[Slice]) -> int:
    """Delete those that are not finished; how many there were."""
    unfinished = [row for row in rows.filter(deleted=None) if not row.is_over]
    for row in unfinished:
        delete(actor=actor, row=row)
    return len(unfinished)


def reslice(*, rows: QuerySet[Slice]) -> tuple[int, list[ServiceError]]:
    """Make a new slice of each that ended in error, for its owner; how many, and why not others."""
    made, refused = 0, []
    for row in rows.filter(deleted=None, status=Slice.Status.ERROR).select_related("config"):
        try:
            if row.plate:
                raise Conflict(f"{row} is of a run: have {row.build['run']} sliced again.")
            create(actor=row.owner, model=row.model_uri, config=row.config.uri)
            made += 1
        except ServiceError as error:
            refused.append(error)
    return made, refused


def find_slice(*, owner: Person, model: str, config: str) -> StoredSlice | None:
    """The newest slice of `owner`'s of this model with this config that did not fail."""
    kept = Slice.objects.filter(owner=owner, model_uri=model, deleted=None, plate__isnull=True)
    kept = kept.filter(config__in=Config.keys_of(config))
    row = kept.exclude(status=Slice.Status.ERROR).order_by("-uuid").first()
    return stored_slice(row) if row else None


def find_or_make_slice(*, owner: Person, model: str, config: str) -> StoredSlice:
    """`find_slice`, or a new one; raises what `POST /slice/` is refused with."""
    there = find_slice(owner=owner, model=model, config=config)
    return there or stored_slice(create(actor=owner, model=model, config=config))


def make_plate_slice(*, owner: Person, model: str, config: str, build: PlateBuild) -> StoredSlice:
    """A slice of a packed run; raises what `POST /slice/` is refused with.

    model : the packed STL
    build : its plate
    """
    return stored_slice(create(actor=owner, model=model, config=config, plate=build))


def end_slice(uri: str) -> None:
    """Delete an unfinished slice that is not needed any more; a running engine is stopped."""
    row = Slice.objects.filter(pk__in=Slice.keys_of(uri), deleted=None).first()
    if row is not None and not row.is_over:
        delete(actor=row.owner, row=row)


def _find(model: str, config: str, user: Person) -> tuple[StoredModel, Config]:
    """Return the resources of the URIs, if `user` may read both; one error lists both faults."""
    faults: list[ServiceError] = []
    try:
        stored_model = warehouse.find_model(uri=model, user=user)
    except UnknownResource as fault:
        faults.append(fault)
    try:
        stored_config = find_config(uri=config, user=user)
    except UnknownResource as fault:
        faults.append(fault)
    if faults:
        raise InvalidFields(faults)
    return stored_model, stored_config


def _refusals(model: StoredModel, config: Config) -> list[ErrorEntry]:
    """Why there can be no slice of the model with the config, as entries of a 409."""
    if model.status in ("error", "inoperable"):
        title = f"A model that is {model.status} cannot be sliced: upload a new one, or convert it."
        return [error_entry("model-not-usable", title, field="model")]
    return broken_constraints(model.uri, config)


def _parameters_of(config: Config) -> dict[str, UsedParameter]:
    """Parameter -> the value that will be used, and where it comes from."""
    use = use_of(config)
    return {
        key: {"value": _value(values), "source": use.sources[key]}
        for key, values in use.values.items()
    }


def _value(values: Any) -> Any:
    """Return one value as itself, several as a list; None where they are unknown."""
    if values is None:
        return None
    return next(iter(values)) if len(values) == 1 else sorted(values)
