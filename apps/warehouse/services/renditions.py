"""Service layer: request renditions of models."""

from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.warehouse.actors.renditions import (
    COSTS,
    FORMATS,
    draw_thumbnail,
    rendition_key,
    write_in_format,
    write_preview,
)
from apps.warehouse.models import Model, Rendition
from apps.warehouse.services.models import processed
from core.auth_user import Person

ACTORS = {
    Rendition.Kind.PREVIEW: write_preview,
    Rendition.Kind.THUMBNAIL: draw_thumbnail,
    **dict.fromkeys(FORMATS, write_in_format),
}


@transaction.atomic
def find_rendition(
    *, user: Person, model_uuid: UUID, kind: Rendition.Kind, triangles: int | None = None
) -> tuple[Model, Rendition]:
    """Return a model and its rendition, which is started where there is none.

    triangles : of a preview, its maximum
    """
    model = processed(user, model_uuid, f"A {kind}")
    canonical = str(model.canonical_id)
    rendition, made = Rendition.objects.get_or_create(
        key=rendition_key(canonical, kind, triangles),
        defaults={
            "kind": kind,
            "triangles": triangles,
            "source_id": canonical,
            "closed": model.findings["manifold"],
        },
    )
    if made:
        cost = COSTS[kind](model.findings["triangles"])
        ACTORS[kind].send_with_options(args=(rendition.key,), cost=cost)
    return model, rendition


@transaction.atomic
def forget_failed(*, renditions: QuerySet[Rendition]) -> int:
    """Let the next request begin anew those that failed; how many there were."""
    failed = renditions.filter(status=Rendition.Status.ERROR)
    return failed.delete()[0]
