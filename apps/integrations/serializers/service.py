"""Services as the contract spells them."""

from typing import Annotated

from rest_framework import serializers

from apps.integrations.domain.schemas import fault_of_schema
from apps.integrations.models import Service
from apps.integrations.serializers.fields import JsonObject
from core.api.fields import Choice, StrictSerializer, StrictText, UriField, UrlText
from core.api.openapi.response_types import FreeJson, JsonSchema, ResourceAnswer, Uri
from core.outbound import url_policy


class ServiceSerializer(StrictSerializer):
    """An operation that a provider offers."""

    name = StrictText(max_length=200)
    description = StrictText(max_length=10_000, required=False, allow_blank=True)
    type = serializers.RegexField(
        r"^[a-z0-9]+(-[a-z0-9]+)*\Z",
        max_length=64,
        error_messages={"invalid": "Send words of a-z and 0-9 with - between, as model-healing."},
    )
    group_uri = UriField(
        required=False,
        allow_null=True,
        help_text="Group whose members may use the service; null: all users.",
    )
    service_url = UrlText(max_length=2048)
    service_method = Choice(choices=Service.Method.choices, required=False)
    schema = JsonObject(required=False, help_text="JSON Schema (2020-12) of the parameters.")

    def validate_service_url(self, url: str) -> str:
        if self.instance is not None and url == self.instance.service_url:
            return url  # a built-in one is at an address that nobody else could name
        try:
            url_policy.validate_url(url)
        except url_policy.ForbiddenUrl as error:
            raise serializers.ValidationError(str(error), code="not-allowed") from error
        return url

    def validate_schema(self, schema: JsonSchema) -> JsonSchema:
        if fault := fault_of_schema(schema):
            raise serializers.ValidationError(fault, code="not-allowed")
        return schema


class ServiceAnswer(ResourceAnswer):
    """An operation that a provider offers."""

    name: str
    description: str | None
    type: str
    group_uri: Annotated[Uri | None, "Group whose members may use the service; null: all users."]
    service_url: Uri
    service_method: Annotated[str, Service.Method]
    schema: Annotated[FreeJson, "JSON Schema (2020-12) of the parameters."]


class NewServiceAnswer(ServiceAnswer):
    """A service as its creation answers."""

    secret: Annotated[str, "Shared signing secret, returned only on creation."]


def service_resource(service: Service) -> ServiceAnswer:
    """The contract's service."""
    return {
        "uri": service.uri,
        "name": service.name,
        "description": service.description or None,
        "type": service.type,
        "group_uri": service.group_uri,
        "service_url": service.service_url,
        "service_method": service.service_method,
        "schema": service.schema,
        "created": service.created,
        "updated": service.updated,
    }
