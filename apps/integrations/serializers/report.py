"""Serializers: provider reports."""

from rest_framework import serializers

from apps.integrations.models import Operation
from apps.integrations.serializers.fields import JsonObject
from apps.warehouse import interface as warehouse
from core.api.fields import Choice, StrictSerializer, StrictText, UriField, ValidatedData


class ResultSerializer(StrictSerializer):
    """The file that was uploaded."""

    name = StrictText(max_length=255, required=False, allow_blank=True)
    type = Choice(choices=warehouse.TYPES)


class FailureSerializer(serializers.Serializer):
    """The outputs of an error."""

    title = StrictText(max_length=1000)
    code = StrictText(max_length=100)
    details = JsonObject(required=False, allow_null=True)


class ReportSerializer(StrictSerializer):
    """How far a provider is with an operation."""

    status = Choice(choices=Operation.Status.choices)
    operation = UriField(required=False)
    outputs = JsonObject(required=False, allow_null=True)
    result = ResultSerializer(required=False, allow_null=True)

    def validate(self, values: ValidatedData) -> ValidatedData:
        if values["status"] == Operation.Status.ERROR:
            failure = FailureSerializer(data=values.get("outputs") or {})
            if not failure.is_valid():
                raise serializers.ValidationError({"outputs": failure.errors})
            values["outputs"] = {"details": None, **failure.validated_data}
        return values
