"""Provenance relations of operations."""

from django.db.models import QuerySet

from apps.integrations.models import Operation, Service
from core.auth_user import Person
from core.provenance import End, Kind, Relation, Tracing, key_in, uri_in


def _complete(user: Person) -> QuerySet:
    return Operation.objects.visible_to(user).filter(status=Operation.Status.COMPLETE)


TRACING = Tracing(
    kinds=(
        Kind(Operation, name="service__name", facts=("service__type", "parameters", "created")),
        Kind(Service, facts=("type",)),
    ),
    relations=(
        uri_in(Operation, "input-of", "model_uri", "model"),
        key_in(Operation, "service-of", "service_id", Service),
        Relation("maker-of", _complete, End("pk", Operation), End("result_uri", named="model")),
    ),
)
