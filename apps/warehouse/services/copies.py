"""Copies of models for other accounts, with their analysis: the file is stored once."""

from collections.abc import Iterable
from uuid import UUID

from django.db import transaction

from apps.warehouse.domain.stored_models import uri_of
from apps.warehouse.models import Model
from apps.warehouse.services.content import FREE_BY
from apps.warehouse.services.models import require_another_today
from core.auth_user import Person
from core.errors import Conflict
from core.queue import quotas

# What a copy has of its model; not rights, folders, ancestors or the conversion that made it.
COPIED = (
    "name",
    "type",
    "status",
    "may_resize",
    "may_rotate",
    "unit",
    "content_id",
    "canonical_id",
    "file_size",
    "analyses",
    "printability",
    "picture_id",
    "small_picture_id",
)


class ModelGone(Conflict):
    """The model is deleted or not analysed, or its file is not stored any more."""

    code = "model-not-ready"


def owners_of(uris: Iterable[str]) -> dict[str, UUID]:
    """The accounts of models that are not deleted, by the URIs of the models."""
    keys = [key for uri in uris for key in Model.keys_of(uri)]
    rows = Model.objects.filter(pk__in=keys, deleted=None).values_list("pk", "owner_id")
    return {uri_of(key): owner for key, owner in rows}


@transaction.atomic
def copy_model(*, uri: str, owner: Person) -> str:
    """Copy an analysed model for another account, and return the URI of the copy.

    The caller has checked that the account may have it. Raises ModelGone, and RateLimited or
    QuotaExceeded where the account may have no more models or bytes.
    """
    model = Model.objects.filter(pk__in=Model.keys_of(uri), deleted=None).first()
    if model is None or model.status != Model.Status.PROCESSED or model.canonical_id is None:
        raise ModelGone(f"{uri} is deleted or not analysed: upload the file again.")
    require_another_today(owner)
    quotas.require_quota("bytes", owner, more=model.file_size or 0, what="bytes", free_by=FREE_BY)
    copy = Model.objects.create(owner=owner, **{name: getattr(model, name) for name in COPIED})
    return copy.uri
