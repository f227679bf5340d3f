"""Logins, one-time passwords and resets as the API spells them."""

from datetime import datetime
from typing import Annotated, Any, TypedDict
from uuid import UUID

from rest_framework import serializers

from apps.users.models import Login, SecondFactor
from apps.users.services.second_factor import otpauth_uri
from core.api.fields import EmailText, StrictBoolean, StrictSerializer, StrictText, ValidatedData
from core.api.openapi.response_types import Uri


class Password(StrictText):
    """A password: any characters, never answered."""

    def __init__(self, **options: Any):
        super().__init__(max_length=1024, trim_whitespace=False, write_only=True, **options)


class SignInSerializer(StrictSerializer):
    """A login; `one_time_password` counts for accounts that have set it up."""

    username = StrictText(max_length=150, write_only=True)
    password = Password()
    one_time_password = StrictText(max_length=64, write_only=True, required=False, allow_blank=True)


class LinkSerializer(StrictSerializer):
    """A login by a link that an operator received."""

    token = StrictText(max_length=150, write_only=True)
    one_time_password = StrictText(max_length=64, write_only=True, required=False, allow_blank=True)


class LoginAnswer(TypedDict):
    """One of the caller's sessions."""

    uri: Uri
    uuid: UUID
    current: Annotated[bool, "Whether this is the session of the request."]
    address: Annotated[str | None, "Client address at sign-in."]
    user_agent: str | None
    created: datetime
    last_used: Annotated[datetime, "Time of the last use, to the minute."]


def login_resource(login: Login, current: UUID | None) -> LoginAnswer:
    """A session, without its secret key."""
    return {
        "uri": login.uri,
        "uuid": login.uuid,
        "current": login.uuid == current,
        "address": login.address or None,
        "user_agent": login.user_agent or None,
        "created": login.created,
        "last_used": login.last_used,
    }


class PresenceSerializer(StrictSerializer):
    """Confirmation by the account's owner: the password, unless they signed in recently."""

    password = Password(required=False, allow_null=True)


class SecondFactorSerializer(StrictSerializer):
    """An authenticator app; it counts once a first code has confirmed it."""

    password = Password(
        help_text="Password of the account, required to set up and to remove a second factor."
    )


class ConfirmationSerializer(StrictSerializer):
    """The first code of the authenticator app."""

    one_time_password = StrictText(max_length=64, write_only=True)


class SecondFactorAnswer(TypedDict):
    """An authenticator app; it counts once a first code has confirmed it."""

    uri: Uri
    uuid: UUID
    secret: Annotated[str | None, "TOTP secret in base 32, returned once."]
    otpauth_uri: Annotated[str | None, "otpauth URI of the secret for a QR code, returned once."]
    recovery_codes: Annotated[
        list[str] | None,
        "Recovery codes, each valid once in place of a one-time password; returned once.",
    ]
    created: datetime
    confirmed: datetime | None


def second_factor_resource(factor: SecondFactor) -> SecondFactorAnswer:
    """A second factor; its secrets are null but for the answer of its creation."""
    new = factor.recovery_codes is not None
    return {
        "uri": factor.uri,
        "uuid": factor.uuid,
        "secret": factor.secret if new else None,
        "otpauth_uri": otpauth_uri(factor) if new else None,
        "recovery_codes": factor.recovery_codes,
        "created": factor.created,
        "confirmed": factor.confirmed,
    }


class PasswordResetSerializer(StrictSerializer):
    """The account whose password is reset: `username` or `email`."""

    username = StrictText(max_length=150, required=False, write_only=True)
    email = EmailText(max_length=254, required=False, write_only=True)

    def validate(self, values: ValidatedData) -> ValidatedData:
        if len(values) != 1:
            raise serializers.ValidationError(
                "Send either username or email.", code="missing-parameter"
            )
        return values


class TitleAnswer(TypedDict):
    """A sentence, and nothing else."""

    title: str


class NewPasswordSerializer(StrictSerializer):
    """The password to have from now on."""

    password = Password()
    end_tokens = StrictBoolean(
        required=False, write_only=True, help_text="Whether to revoke all API tokens as well."
    )
