"""Users as the contract spells them."""

from typing import Any

from django.contrib.auth.validators import UnicodeUsernameValidator
from rest_framework import serializers

from apps.users.models import User
from core.api.fields import StrictSerializer, StrictText


class UserSerializer(StrictSerializer):
    """A user; the password is written and never read."""

    known_extras = ("login", "tos")
    fixed_fields = ("username",)

    username = StrictText(max_length=150, validators=[UnicodeUsernameValidator()])
    email = serializers.EmailField(max_length=254)
    name = StrictText(max_length=200)
    password = StrictText(max_length=1024, trim_whitespace=False, allow_null=True)
    current_password = StrictText(
        max_length=1024,
        trim_whitespace=False,
        write_only=True,
        required=False,
        allow_null=True,
        help_text="Needed by PUT where it changes one's own password or email.",
    )
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
        if self.instance is None:
            values.pop("current_password", None)
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
