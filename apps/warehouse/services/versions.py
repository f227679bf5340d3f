"""Service layer: make a model the next version of another, change and delete versions."""

from django.db import transaction
from django.db.models import Max

from apps.warehouse.models import Label, Model, ModelVersion
from core.auth_user import Person
from core.errors import Conflict, ServiceError, UnknownResource
from core.postgres import advisory_locks

MAX_VERSIONS = 500  # of a part


class VersionExists(Conflict):
    """The model is a version already."""

    code = "version-exists"


class ModelReplaced(Conflict):
    """The model has a newer version, which would be left out."""

    code = "model-replaced"


class TooManyVersions(ServiceError):
    """More versions than a part may have."""

    code = "limit-exceeded"


@transaction.atomic
def create(*, actor: Person, model: str, replaces: str, note: str | None = "") -> ModelVersion:
    """Make `model` the version after `replaces`, both URIs; it takes over folder and tags.

    Needs ownership or the right `write` on both. The model that is replaced becomes version 1
    where it was none. Raises VersionExists, ModelReplaced, TooManyVersions.
    """
    new, old = _writable(actor, model, "model"), _writable(actor, replaces, "replaces")
    if ModelVersion.objects.filter(model=new).exists() or new == old:
        raise VersionExists(f"{new.uri} is a version already: upload the file as another model.")
    first = ModelVersion.objects.filter(model=old).first()
    series = first.series if first else old.pk
    advisory_locks.advisory_lock(f"versions of {series}")
    versions = ModelVersion.objects.filter(series=series)
    newest = versions.filter(model__deleted=None).order_by("-number").first()
    if newest is not None and newest.model_id != old.pk:
        uri = Model.uri_of(newest.model_id)
        title = f"{old.uri} has a newer version: replace {uri}."
        raise ModelReplaced(title, details={"newest": uri})
    if first is None:
        ModelVersion.objects.create(owner=old.owner, model=old, series=series, number=1)
    number = (versions.aggregate(Max("number"))["number__max"] or 0) + 1
    if number > MAX_VERSIONS:
        raise TooManyVersions(f"A part has at most {MAX_VERSIONS} versions.", field="replaces")
    _take_labels(actor, old, new)
    return ModelVersion.objects.create(
        owner=actor, model=new, series=series, number=number, note=note or ""
    )


@transaction.atomic
def change(*, actor: Person, row: ModelVersion, **fields: str | None) -> None:
    """Change the note; needs ownership of the model or the right `write` on it."""
    row.model.require(actor, "write")
    if "note" in fields:
        row.note = fields["note"] or ""
    row.save(update_fields=["note", "updated"])


@transaction.atomic
def delete(*, actor: Person, row: ModelVersion) -> None:
    """Take a model out of the versions of its part; the model stays."""
    row.model.require(actor, "write")
    row.delete()


def _writable(actor: Person, uri: str, field: str) -> Model:
    models = Model.objects.select_for_update(of=("self",)).visible_to(actor)
    model = models.filter(pk__in=Model.keys_of(uri)).select_related("owner").first()
    if model is None:
        raise UnknownResource(f"{uri} is no model, or not for you.", field=field)
    model.require(actor, "write")
    return model


def _take_labels(actor: Person, old: Model, new: Model) -> None:
    label = Label.objects.filter(owner=actor, model=old).first()
    if label is not None:
        values = {"folder": label.folder, "tags": label.tags}
        Label.objects.get_or_create(owner=actor, model=new, defaults=values)
