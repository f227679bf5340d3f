"""What a client may do with API tokens."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.users.credential import METRICS, Credential
from apps.users.models import ApiToken, User
from apps.users.services import audit
from core.errors import Forbidden


@transaction.atomic
def create_token(
    *,
    user: User,
    credential: Credential,
    name: str = "",
    expires: datetime | None = None,
    namespaces: list[str] | None = None,
    read_only: bool = False,
) -> ApiToken:
    """A new API token; its `secret` is known now and never again."""
    credential.require_session("make API tokens")
    if METRICS in (namespaces or ()) and not (user.is_staff or user.is_platform_service):
        raise Forbidden("Only administrators read metrics: ask one of them for a token.")
    secret = secrets.token_urlsafe(32)
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
        actor=user,
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
    audit.record(action="api-token.revoked", actor=actor, on=token.uri)
    token.delete()
