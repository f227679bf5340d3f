"""Provenance relations of operations."""

from django.db.models import QuerySet

from apps.integrations.models import Operation, Service
from core.auth_user import Person
from core.provenance import Endpoint, ProvenanceSource, Relation, TracedKind, by_key, by_uri


def _complete(user: Person) -> QuerySet:
    return Operation.objects.visible_to(user).filter(status=Operation.Status.COMPLETE)


TRACING = ProvenanceSource(
    kinds=(
        TracedKind(
            Operation, name="service__name", facts=("service__type", "parameters", "created")
        ),
        TracedKind(Service, facts=("type",)),
    ),
    relations=(
        by_uri(Operation, "input-of", "model_uri", "model"),
        by_key(Operation, "service-of", "service_id", Service),
        Relation(
            "maker-of", _complete, Endpoint("pk", Operation), Endpoint("result_uri", named="model")
        ),
    ),
)
