"""Folders and tags that a person gives to models."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict
from uuid import UUID

from django.db import transaction

from apps.warehouse.models import Label, Model
from core.auth_user import Person
from core.errors import ServiceError, UnknownResource
from core.postgres import advisory_locks

MAX_TAGS = 20  # of a model
MAX_EACH = 500  # folders of a person, and tags


class TooManyLabels(ServiceError):
    """More tags, or folders, than a model or a person may have."""

    code = "limit-exceeded"


class LabelChange(TypedDict):
    """The new folder and tags of a model; what is left out stays."""

    model: str
    folder: NotRequired[str | None]
    tags: NotRequired[list[str]]
    add_tags: NotRequired[list[str]]
    remove_tags: NotRequired[list[str]]


@transaction.atomic
def change_many(*, actor: Person, changes: Sequence[LabelChange]) -> list[Label | ServiceError]:
    """Give models their folders and tags: the new label of each, or why there is none.

    A model that is named twice is changed twice. Models that the caller may not read, and more
    folders or tags than a person may have, are errors of their own rows.
    """
    advisory_locks.advisory_lock(f"labels of {actor.pk}")
    keys = {each["model"]: next(iter(Model.keys_of(each["model"])), None) for each in changes}
    readable = set(
        Model.objects.visible_to(actor)
        .filter(pk__in=[key for key in keys.values() if key])
        .values_list("pk", flat=True)
    )
    rows = {row.model_id: row for row in Label.objects.filter(owner=actor, model__in=readable)}
    own = Label.objects.visible_to(actor)
    names = {"folder": set(own.count_values("folder")), "tag": set(own.count_values("tags"))}
    results = [_change(actor, rows, keys[each["model"]], readable, names, each) for each in changes]
    _save(list(rows.values()))
    return results


def _change(
    actor: Person,
    rows: dict[UUID, Label],
    key: UUID | None,
    readable: set[UUID],
    names: dict[str, set[str]],
    change: LabelChange,
) -> Label | ServiceError:
    if key not in readable or key is None:
        return UnknownResource("There is no such model, or not for you.", field="model")
    row = rows.get(key) or Label(owner=actor, model_id=key)
    folder = (change.get("folder") or "") if "folder" in change else row.folder
    removed = change.get("remove_tags", ())
    tags = [tag for tag in change.get("tags", row.tags) if tag not in removed]
    tags = list(dict.fromkeys([*tags, *change.get("add_tags", ())]))
    if len(tags) > MAX_TAGS:
        return TooManyLabels(f"A model has at most {MAX_TAGS} tags.", field="tags")
    folders, every = names["folder"] | {folder} - {""}, names["tag"] | set(tags)
    if len(folders) > MAX_EACH and folder not in names["folder"]:
        return TooManyLabels(f"You have {MAX_EACH} folders already.", field="folder")
    if len(every) > MAX_EACH and not set(tags) <= names["tag"]:
        return TooManyLabels(f"You have {MAX_EACH} tags already.", field="tags")
    names |= {"folder": folders, "tag": every}
    row.folder, row.tags = folder, tags
    rows[key] = row
    return row


def _save(rows: list[Label]) -> None:
    """Write the rows; those that say nothing are gone."""
    empty = [row for row in rows if not row.folder and not row.tags]
    Label.objects.filter(pk__in=[row.pk for row in empty]).delete()
    Label.objects.bulk_create(
        [row for row in rows if row not in empty],
        update_conflicts=True,
        unique_fields=["owner", "model"],
        update_fields=["folder", "tags", "updated"],
    )


def delete(*, actor: Person, row: Label) -> None:
    """Take a model out of its folder, with all its tags."""
    row.delete()
