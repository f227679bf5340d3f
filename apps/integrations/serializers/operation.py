"""Operations as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.integrations.domain.outcomes import outputs_of
from apps.integrations.models import Operation
from apps.integrations.serializers.fields import JsonObject
from core.api.callbacks import CallbackTaker
from core.api.fields import Choice, StrictSerializer, UriField
from core.api.waiting import Waiter


class InputsSerializer(StrictSerializer):
    """What an operation works on."""

    model = UriField()


class AttemptSerializer(serializers.Serializer):
    """A request to the provider."""

    at = serializers.DateTimeField()
    answer = serializers.CharField(help_text="Its HTTP status, or why there was none.")


class OperationSerializer(Waiter, CallbackTaker):
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
    outputs = serializers.DictField(read_only=True, allow_null=True)
    results = serializers.CharField(read_only=True, allow_null=True)
    result = serializers.CharField(read_only=True, allow_null=True)
    attempts = AttemptSerializer(many=True, read_only=True)
    uri = serializers.CharField(read_only=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
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

    def _current(self, name: str) -> Any:
        row: Any = self.instance
        return {
            "service": row.service.uri,
            "inputs": {"model": row.model_uri},
            "parameters": row.parameters,
        }[name]


def operation_resource(row: Operation) -> dict[str, Any]:
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
    }
