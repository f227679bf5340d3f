"""Operations as the contract spells them."""

from datetime import datetime
from typing import Annotated, TypedDict

from rest_framework import serializers

from apps.integrations.domain.outputs import outputs_of
from apps.integrations.models import Operation
from apps.integrations.serializers.fields import JsonObject
from core.api.callbacks import CallbackInputMixin, WithCallback
from core.api.fields import Choice, StrictSerializer, UriField, ValidatedData
from core.api.openapi.response_types import FreeJson, OwnedAnswer, Uri
from core.api.queue_position import WithQueuePosition


class InputsSerializer(StrictSerializer):
    """What an operation works on."""

    model = UriField()


class RequestedAnswer(TypedDict):
    """A request to the provider."""

    at: datetime
    answer: Annotated[str, "HTTP status of the response, or the cause of the failure."]


class OperationSerializer(CallbackInputMixin):
    """One use of a service on a model."""

    fixed_fields = ("service", "inputs", "parameters")

    service = UriField()
    inputs = InputsSerializer()
    parameters = JsonObject()
    status = Choice(
        choices=Operation.Status.choices,
        required=False,
        help_text="`error` cancels; nothing else can be set.",
    )

    def validate(self, values: ValidatedData) -> ValidatedData:
        if self.instance is None:
            values.pop("status", None)
            return values
        wanted = values.get("status", self.instance.status)
        if wanted not in (self.instance.status, Operation.Status.ERROR):
            words = 'Only "error" can be set: it cancels the operation.'
            raise serializers.ValidationError(
                {"status": serializers.ErrorDetail(words, code="not-allowed")}
            )
        return values


class InputsAnswer(TypedDict):
    """What an operation works on."""

    model: Uri


class OperationAnswer(OwnedAnswer, WithCallback, WithQueuePosition):
    """One use of a service on a model."""

    service: Uri
    inputs: InputsAnswer
    parameters: FreeJson
    status: Annotated[str, Operation.Status]
    outputs: FreeJson | None
    results: Uri | None
    result: Uri | None
    attempts: list[RequestedAnswer]


def operation_resource(row: Operation) -> OperationAnswer:
    """The contract's operation."""
    return {
        "uri": row.uri,
        "service": row.service.uri,
        "inputs": {"model": row.model_uri},
        "parameters": row.parameters,
        "status": row.status,
        "outputs": outputs_of(row),
        "results": row.result,
        "result": row.result,
        "attempts": row.attempts,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
        "callback": None,
        "queue": None,
    }
