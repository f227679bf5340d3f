"""Service layer: add, list and remove indexed models."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from apps.search.actors import compare_contents, index_model
from apps.search.domain import model_sources
from apps.search.domain.indexing import examine
from apps.search.models import IndexedModel, PairCheck
from core.auth_user import Person
from core.errors import Conflict
from core.queue.row_jobs import cancel_jobs, enqueue

Status = IndexedModel.Status


class AlreadyIndexed(Conflict):
    """The caller has indexed the model under another name or description."""

    code = "already-indexed"


def create(*, actor: Person, name: str, description: str, model_uri: str) -> IndexedModel:
    """Index a model and wait for it, with no transaction open; the same again is fine.

    What the model's file is to blame for is the indexed model's `error`; one that is not
    complete is indexed again.
    """
    uri = model_sources.canonical(model_uri, field="model_uri")
    row = IndexedModel.objects.filter(owner=actor, model_uri=uri, deleted=None).first()
    if row is not None:
        _refuse_another(row, name, description)
        if row.status == Status.COMPLETE:
            return row
    source = model_sources.find(uri, user=actor, field="model_uri")
    found = examine(source)

    with transaction.atomic():
        row, made = IndexedModel.objects.select_for_update().get_or_create(
            owner=actor,
            model_uri=uri,
            deleted=None,
            defaults={
                "name": name,
                "description": description,
                "model_uuid": source.key,
                **found._asdict(),
            },
        )
        if not made:  # a repeat, or another request was first
            _refuse_another(row, name, description)
            if row.status != Status.COMPLETE:
                row.move(found.status, error=found.error, content_hash=found.content_hash)
    return row


def update_indexed_model(*, row: IndexedModel, **fields: Any) -> None:
    """Change name or description."""
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(update_fields=[*fields, "updated"])


@transaction.atomic
def delete_indexed_model(*, row: IndexedModel) -> None:
    """Remove a model from the index; the model itself stays."""
    row.put_away()
    cancel_jobs(index_model, on=[row])


@transaction.atomic
def reindex(*, rows: QuerySet[IndexedModel]) -> int:
    """Send indexed models to a worker; how many there were."""
    chosen = list(rows.filter(deleted=None))
    for row in chosen:
        if row.status != Status.QUEUED:
            row.move(Status.QUEUED)
        enqueue(index_model, row)
    return len(chosen)


@transaction.atomic
def recompare(*, rows: QuerySet[PairCheck]) -> int:
    """Forget comparisons and send their files to be compared anew; how many there were."""
    pairs = list(rows.values_list("first_hash", "second_hash"))
    rows.delete()
    for pair in pairs:
        compare_contents.send(*pair)
    return len(pairs)


def _refuse_another(row: IndexedModel, name: str, description: str) -> None:
    if (row.name, row.description) != (name, description):
        raise AlreadyIndexed(
            f"This model is indexed already, as {row.uri}, with another name or description: "
            "change those by PUT there, or repeat the first request.",
            field="model_uri",
            details={"uri": row.uri},
        )
