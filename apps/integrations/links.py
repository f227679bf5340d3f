"""What integrations tell of how models were worked on."""

from typing import Any

from django.db.models import QuerySet

from apps.integrations.models import Operation, Service
from core.links import End, Kind, Relation, Tracing

_OPERATION = End("pk", "integrations", "operation-detail")


def _complete(user: Any) -> QuerySet:
    return Operation.objects.visible_to(user).filter(status=Operation.Status.COMPLETE)


TRACING = Tracing(
    kinds=(
        Kind(
            "integrations",
            "operation-detail",
            Operation.objects.visible_to,
            name="service__name",
            facts=("service__type", "parameters", "created"),
        ),
        Kind(
            "integrations",
            "service-detail",
            Service.objects.visible_to,
            name="name",
            status="",
            facts=("type",),
        ),
    ),
    relations=(
        Relation(
            "input-of",
            Operation.objects.visible_to,
            source=End("model_uri", "models", "model-detail", uri=True),
            target=_OPERATION,
        ),
        Relation(
            "service-of",
            Operation.objects.visible_to,
            source=End("service_id", "integrations", "service-detail"),
            target=_OPERATION,
        ),
        Relation(
            "maker-of",
            _complete,
            source=_OPERATION,
            target=End("result_uri", "models", "model-detail", uri=True),
        ),
    ),
)
