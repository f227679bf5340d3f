"""What a client may do with slices."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.callbacks import interface as callbacks
from apps.payment import interface as payment
from apps.slicing.actors import slice_model, tell_settled
from apps.slicing.domain.enforcement import broken_constraints, use_of
from apps.slicing.domain.planning import plan
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Config, Slice
from apps.slicing.services.configs import find_config
from apps.slicing.services.deletion import put_away
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from core.errors import Conflict, InvalidFields, ServiceError, UnknownResource, entry

# What a slice is to those who set prices.
PRICED = {"namespace": "slicing", "action": "slice"}


class SliceRefused(Conflict):
    """The model cannot be sliced at all, or constraints forbid this config."""

    def __init__(self, reasons: list[dict[str, Any]]):
        super().__init__(" ".join(reason["title"] for reason in reasons))
        self.reasons = reasons

    def entries(self) -> list[dict[str, Any]]:
        return self.reasons


@transaction.atomic
def create_slice(
    *,
    owner,
    model: str,
    config: str,
    callback: dict[str, str] | None = None,
    plate: dict[str, Any] | None = None,
) -> Slice:
    """A slice of the model with this URI, by the config with that one; it waits for both.

    plate : of a packed run, the pieces that the model is made of; see Slice
    """
    found_model, found_config = _find(model, config, owner)
    if reasons := _refusals(found_model, found_config):
        raise SliceRefused(reasons)
    row = Slice.objects.create(
        owner=owner, model_uri=found_model.uri, config=found_config, plate=plate
    )
    payment.authorise(owner=owner, source=row.uri, **PRICED)
    if callback:
        callbacks.subscribe(uri=row.uri, owner_id=owner.pk, **callback)
    slice_model.send(str(row.pk))
    return row


def preview_slice(*, user, model: str, config: str) -> dict[str, Any]:
    """What create_slice would do, and what would come of it as far as can be told; makes nothing.

    See serializers.slice.PreviewSerializer.
    """
    found_model, found_config = _find(model, config, user)
    refusals = _refusals(found_model, found_config)
    quoted = payment.quote(owner=user, **PRICED)
    if quoted and quoted.refusal:
        refusals = [*refusals, *quoted.refusal.entries()]
    preview: dict[str, Any] = {
        "model": found_model.uri,
        "config": found_config.uri,
        "accepted": not refusals,
        "refusals": refusals,
        "cost": quoted and {"amount": quoted.amount, "currency": quoted.currency},
        "failures": [],
        "warnings": [],
        "cached": False,
        "slice_time": None,
        "estimates": None,
        "engine": found_config.engine,
        "engine_version": None,
        "parameters": _told(found_config),
    }
    if found_model.status == "processing":
        title = "The model is still being judged: whether it can be sliced is known after that."
        return {**preview, "warnings": [entry("model-not-judged", title)]}
    try:
        planned = plan(found_model, found_config)
    except SliceFailed as failure:
        return {**preview, "failures": [entry(failure.code, failure.title)]}
    equal = Slice.objects.filter(key=planned.key, status=Slice.Status.PROCESSED).first()
    known = {"slice_time": equal.slice_time, "estimates": equal.estimates} if equal else {}
    if quoted and Slice.is_paid(planned.key, owner=user.pk):
        known["cost"] = {"amount": 0, "currency": quoted.currency}
    return {
        **preview,
        **known,
        "warnings": planned.warnings,
        "cached": equal is not None,
        "engine_version": planned.version,
    }


def update_slice(*, user, row: Slice) -> None:
    """Nothing of a slice can be changed: only whether `user` might is checked."""
    row.require(user, "write")


@transaction.atomic
def delete_slice(*, user, row: Slice) -> None:
    """Take a slice out of sight; an engine that works on it is ended.

    For its owner, and holders of the right `delete` on it.
    """
    put_away(row, user=user)
    payment.release(source=row.uri)
    if not row.is_over:
        tell_settled(row)


def cancel_slices(*, user, rows: QuerySet[Slice]) -> int:
    """Delete those that are not finished; how many there were."""
    unfinished = [row for row in rows.filter(deleted=None) if not row.is_over]
    for row in unfinished:
        delete_slice(user=user, row=row)
    return len(unfinished)


def slice_again(*, rows: QuerySet[Slice]) -> tuple[int, list[ServiceError]]:
    """Make a new slice of each that ended in error, for its owner; how many, and why not others."""
    made, refused = 0, []
    for row in rows.filter(deleted=None, status=Slice.Status.ERROR).select_related("config"):
        try:
            create_slice(
                owner=row.owner, model=row.model_uri, config=row.config.uri, plate=row.plate
            )
            made += 1
        except ServiceError as error:
            refused.append(error)
    return made, refused


def _find(model: str, config: str, user) -> tuple[StoredModel, Config]:
    """What the URIs name, if `user` may read both; the faults of both are told together."""
    faults: list[ServiceError] = []
    try:
        found_model = warehouse.find_model(uri=model, user=user)
    except UnknownResource as fault:
        faults.append(fault)
    try:
        found_config = find_config(uri=config, user=user)
    except UnknownResource as fault:
        faults.append(fault)
    if faults:
        raise InvalidFields(faults)
    return found_model, found_config


def _refusals(model: StoredModel, config: Config) -> list[dict[str, Any]]:
    """Why there can be no slice of the model with the config, as entries of a 409."""
    if model.status in ("error", "inoperable"):
        title = f"A model that is {model.status} cannot be sliced: upload a new one, or convert it."
        return [entry("model-not-usable", title, field="model")]
    return broken_constraints(model.uri, config)


def _told(config: Config) -> dict[str, dict[str, Any]]:
    """Parameter -> the value that will be used, and where it comes from."""
    use = use_of(config)
    return {
        key: {"value": _value(values), "source": use.sources[key]}
        for key, values in use.values.items()
    }


def _value(values: Any) -> Any:
    """One value as itself, several as a list; None where they cannot be told."""
    if values is None:
        return None
    return next(iter(values)) if len(values) == 1 else sorted(values)
