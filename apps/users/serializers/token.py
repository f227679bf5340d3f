"""API tokens as the contract spells them."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from django.conf import settings
from django.utils import timezone
from rest_framework import serializers

from apps.users.models import ApiToken
from apps.users.models.credential import METRICS
from apps.users.serializers.session import Password
from core.api.fields import StrictBoolean, StrictSerializer, StrictText, UriField, ValidatedData
from core.api.openapi.response_types import Uri


class ApiTokenSerializer(StrictSerializer):
    """A key for programs: HTTP Basic with `uuid` as user name and `secret` as password."""

    fixed_fields = ("namespaces", "read_only", "user_uri")

    name = StrictText(max_length=200, required=False, allow_blank=True)
    expires = serializers.DateTimeField(required=False, allow_null=True)
    namespaces = serializers.ListField(
        child=serializers.ChoiceField(choices=[*settings.SERVICES, METRICS]),
        required=False,
        allow_null=True,
        allow_empty=False,
        help_text="Services the token is restricted to, or `metrics` alone; null: all services.",
    )
    read_only = StrictBoolean(  # type: ignore[assignment]
        required=False, help_text="Whether the token is read-only."
    )
    user_uri = UriField(
        required=False,
        help_text="Owner: the caller, or a platform service if requested by an administrator.",
    )
    password = Password(
        required=False,
        allow_null=True,
        help_text="Password of the caller; not required directly after signing in.",
    )

    def validate_expires(self, expires: datetime | None) -> datetime | None:
        unchanged = self.instance is not None and expires == self.instance.expires
        if expires is not None and expires <= timezone.now() and not unchanged:
            words = "The date is in the past: send a later one, or null for no expiry."
            raise serializers.ValidationError(words, code="not-allowed")
        return expires

    def validate(self, values: ValidatedData) -> ValidatedData:
        if self.instance is not None:
            values.pop("password", None)
        return values

    def validate_namespaces(self, names: list[str] | None) -> list[str] | None:
        if names and METRICS in names and len(names) > 1:
            words = f"A token for {METRICS} opens nothing else: name it alone."
            raise serializers.ValidationError(words, code="not-allowed")
        return names


class ApiTokenAnswer(TypedDict):
    """A key for programs: HTTP Basic with `uuid` as user name and `secret` as password."""

    uri: Uri
    uuid: UUID
    secret: Annotated[str | None, "Secret, returned only on creation."]
    name: str | None
    namespaces: Annotated[
        list[Annotated[str, Literal[*settings.SERVICES, METRICS]]] | None,
        "Services the token is restricted to, or `metrics` alone; null: all services.",
    ]
    read_only: Annotated[bool, "Whether the token is read-only."]
    user_uri: Annotated[
        Uri, "Owner: the caller, or a platform service if requested by an administrator."
    ]
    created: datetime
    expires: datetime | None
    last_used: datetime | None


def token_resource(token: ApiToken) -> ApiTokenAnswer:
    """The contract's API token; `secret` is null but for the answer of its creation."""
    return {
        "uri": token.uri,
        "uuid": token.uuid,
        "secret": token.secret,
        "name": token.name or None,
        "namespaces": token.namespaces,
        "read_only": token.read_only,
        "user_uri": token.user.uri,
        "created": token.created,
        "expires": token.expires,
        "last_used": token.last_used,
    }
