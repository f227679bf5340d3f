"""Service layer: create, list and revoke API tokens."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.users.models import ApiToken, User
from apps.users.models.credential import METRICS, Credential
from apps.users.services import audit, password_verification
from core.errors import Forbidden, UnknownResource
from core.queue import quotas


def create_token(
    *,
    actor: User,
    credential: Credential,
    password: str | None = None,
    user_uri: str | None = None,
    **fields: Any,
) -> ApiToken:
    """Create an API token of the caller, who confirms the password, or of a named platform service.

    Only administrators create tokens of services.
    """
    if user_uri is None or user_uri == actor.uri:
        password_verification.require_password(
            user=actor, credential=credential, password=password, what="make API tokens"
        )
        return make_token(user=actor, actor=actor, **fields)
    credential.require_session("make API tokens")
    services = User.objects.filter(is_platform_service=True, is_active=True)
    service = services.filter(pk__in=User.keys_of(user_uri)).first()
    if service is None or not actor.is_staff:
        raise UnknownResource(
            "Tokens are made for oneself, and by administrators for platform services.",
            field="user_uri",
        )
    return make_token(user=service, actor=actor, **fields)


@transaction.atomic
def make_token(
    *,
    user: User,
    actor: User,
    name: str = "",
    expires: datetime | None = None,
    namespaces: list[str] | None = None,
    read_only: bool = False,
    secret: str | None = None,
) -> ApiToken:
    """Create an API token without a check of rights; its `secret` cannot be read again.

    secret : a random one by default
    """
    if METRICS in (namespaces or ()) and not (user.is_staff or user.is_platform_service):
        raise Forbidden("Only administrators read metrics: ask one of them for a token.")
    User.objects.select_for_update(no_key=True).get(pk=user.pk)  # two at once count each other
    quotas.require_quota("tokens", user, more=1, what="API tokens", free_by="revoking one of them")
    secret = secret or secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        expires=expires,
        namespaces=namespaces,
        read_only=read_only,
        secret_sha256=hashlib.sha256(secret.encode()).digest(),
    )
    token.secret = secret
    audit.record(
        action="api-token.made",
        actor=actor,
        on=token.uri,
        after={"namespaces": namespaces, "read_only": read_only},
    )
    return token


def update_token(*, token: ApiToken, credential: Credential, **fields: Any) -> None:
    """Change a token's name or its expiry."""
    credential.require_session("change API tokens")
    for name, value in fields.items():
        setattr(token, name, value)
    token.save(update_fields=list(fields))


@transaction.atomic
def revoke_token(*, token: ApiToken, actor: User) -> None:
    """End a token: the next request with it is refused."""
    password_verification.require_authority(actor, over=token.user)
    audit.record(action="api-token.revoked", actor=actor, on=token.uri)
    token.delete()
