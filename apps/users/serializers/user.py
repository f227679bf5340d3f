"""Users and logins as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.users.models import User
from core.api.fields import StrictSerializer, StrictText


class UserSerializer(StrictSerializer):
    """A user; the password is written and never read."""

    known_extras = ("login", "tos")
    fixed_fields = ("username",)

    username = StrictText(max_length=150)
    email = serializers.EmailField(max_length=254)
    name = StrictText(max_length=200)
    password = StrictText(max_length=1024, trim_whitespace=False, allow_null=True)
    address = StrictText(max_length=2000, required=False, allow_blank=True, allow_null=True)
    company = StrictText(max_length=200, required=False, allow_blank=True, allow_null=True)
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    emails = serializers.ListField(child=serializers.EmailField(), read_only=True)

    def validate(self, values: dict[str, Any]) -> dict[str, Any]:
        # A client may PUT back what it GOT, and there the password is null.
        if values.get("password", "") is None:
            if self.instance is None:
                raise serializers.ValidationError(
                    {"password": serializers.ErrorDetail("Choose a password.", code="required")}
                )
            del values["password"]
        for name in ("address", "company"):
            if name in values:
                values[name] = values[name] or ""
        return values


def user_resource(user: User) -> dict[str, Any]:
    """The contract's user."""
    return {
        "uri": user.uri,
        "uuid": user.uuid,
        "username": user.username,
        "email": user.email,
        "emails": [user.email] if user.email else [],
        "name": user.name,
        "address": user.address or None,
        "company": user.company or None,
        "password": None,
    }


class SessionSerializer(StrictSerializer):
    """A login."""

    username = StrictText(max_length=150, write_only=True)
    password = StrictText(max_length=1024, trim_whitespace=False, write_only=True)
