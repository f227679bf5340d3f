"""What a client may do with API tokens."""

import hashlib
import secrets
from datetime import datetime
from typing import Any

from django.db import transaction

from apps.users.models import ApiToken, User


@transaction.atomic
def create_token(*, user: User, name: str = "", expires: datetime | None = None) -> ApiToken:
    """A new API token; its `secret` is known now and never again."""
    secret = secrets.token_urlsafe(32)
    token = ApiToken.objects.create(
        user=user,
        name=name,
        expires=expires,
        secret_sha256=hashlib.sha256(secret.encode()).digest(),
    )
    token.secret = secret
    return token


def update_token(*, token: ApiToken, **fields: Any) -> None:
    """Change a token's name or its expiry."""
    for name, value in fields.items():
        setattr(token, name, value)
    token.save(update_fields=list(fields))


def revoke_token(*, token: ApiToken) -> None:
    """End a token: the next request with it is refused."""
    token.delete()
