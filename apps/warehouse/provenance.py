"""Provenance relations of models."""

from django.db.models import QuerySet

from apps.warehouse.models import Model
from core.auth_user import Person
from core.provenance import Endpoint, ProvenanceSource, Relation, TracedKind


def _parents(user: Person) -> QuerySet:
    """Each model and each of its parents, where `user` may read both."""
    read = Model.objects.visible_to(user).values("pk")
    return Model.parents.through.objects.filter(from_model__in=read, to_model__in=read)


TRACING = ProvenanceSource(
    kinds=(TracedKind(Model, facts=("type", "content__sha256", "file_size", "created")),),
    relations=(
        Relation(
            "parent-of", _parents, Endpoint("to_model_id", Model), Endpoint("from_model_id", Model)
        ),
    ),
)
