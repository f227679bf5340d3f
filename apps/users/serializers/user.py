"""Users as the contract spells them."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from django.contrib.auth.validators import UnicodeUsernameValidator
from rest_framework import serializers

from apps.users.models import Notification, User
from apps.users.models.usernames import check_scripts
from core.api.fields import (
    Choice,
    EmailText,
    StrictBoolean,
    StrictSerializer,
    StrictText,
    ValidatedData,
)
from core.api.openapi.response_types import Email, Uri

# What a client that makes an account may send along, and what means nothing there.
ONLY_IN_CHANGES = ("current_password", "end_tokens")
ONLY_ON_CREATE = ("invitation",)
# Settings of an account, which are null where others see it.
SETTINGS = ("convert_uploads", "muted_notifications")


class UserSerializer(StrictSerializer):
    """A user; the password is written and never read."""

    known_extras = ("login",)
    fixed_fields = ("username",)

    username = StrictText(max_length=150, validators=[UnicodeUsernameValidator(), check_scripts])
    # Null only where others see somebody in their group.
    email = EmailText(max_length=254, allow_null=True)
    name = StrictText(max_length=200)
    password = StrictText(max_length=1024, trim_whitespace=False, allow_null=True)
    current_password = StrictText(
        max_length=1024,
        trim_whitespace=False,
        write_only=True,
        required=False,
        allow_null=True,
        help_text="Required to change one's own password or email.",
    )
    address = StrictText(max_length=2000, required=False, allow_blank=True)
    company = StrictText(max_length=200, required=False, allow_blank=True)
    tos = StrictBoolean(  # type: ignore[assignment]
        required=False, allow_null=True, help_text="Whether the terms of service are accepted."
    )
    convert_uploads = StrictBoolean(  # type: ignore[assignment]
        required=False,
        allow_null=True,
        help_text="Whether non-STL uploads are converted automatically.",
    )
    muted_notifications = serializers.ListField(
        child=Choice(choices=Notification.Kind.values),
        required=False,
        allow_null=True,
        max_length=len(Notification.Kind),
        help_text="Kinds of notifications that the user does not get.",
    )
    end_tokens = StrictBoolean(  # type: ignore[assignment]
        required=False, write_only=True, help_text="Whether a new password revokes all API tokens."
    )
    invitation = StrictText(
        max_length=200,
        required=False,
        allow_blank=True,
        write_only=True,
        help_text="Token of an invitation to a bureau: required where registration is closed.",
    )

    def validate(self, values: ValidatedData) -> ValidatedData:
        # A client may PUT back what it GOT, and there the password is null.
        absent = {name for name in ("password", "email") if values.get(name, "") is None}
        if absent and self.instance is None:
            faults = {name: f"Choose the {name}." for name in absent}
            raise serializers.ValidationError(faults, code="required")
        if values.get("end_tokens") and values.get("password") is None and self.instance:
            raise serializers.ValidationError(
                {"password": "end_tokens goes with a new password: send it, too."}, code="required"
            )
        # Null in a form without them, and in the representation of other members.
        absent |= {name for name in SETTINGS if values.get(name, True) is None}
        without = {*absent, *ONLY_ON_CREATE, *(ONLY_IN_CHANGES if self.instance is None else ())}
        return {name: value for name, value in values.items() if name not in without}


class UserAnswer(TypedDict):
    """A user."""

    uri: Uri
    uuid: UUID
    username: str
    email: Annotated[Email | None, "E-mail address; null to other members of the user's groups."]
    emails: list[Email]
    name: str
    address: str | None
    company: str | None
    tos: Annotated[bool | None, "Whether the terms of service are accepted."]
    tos_accepted: Annotated[
        datetime | None, "Time of acceptance of the terms of service; null until accepted."
    ]
    convert_uploads: Annotated[
        bool | None,
        "Whether non-STL uploads are converted automatically; null to other members of the "
        "user's groups.",
    ]
    muted_notifications: Annotated[
        list[Annotated[str, Literal[*Notification.Kind.values]]] | None,
        "Kinds of notifications that the user does not get; null to other members of the user's "
        "groups.",
    ]
    password: None


def user_resource(user: User) -> UserAnswer:
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
        "tos": user.tos_accepted is not None,
        "tos_accepted": user.tos_accepted,
        "convert_uploads": user.convert_uploads,
        "muted_notifications": user.muted_notifications,
        "password": None,
    }


def member_resource(user: User) -> UserAnswer:
    """Return a user as other members of a group see them: the name, without contact data."""
    return {
        **user_resource(user),
        "email": None,
        "emails": [],
        "address": None,
        "company": None,
        "tos": None,
        "tos_accepted": None,
        "convert_uploads": None,
        "muted_notifications": None,
    }
