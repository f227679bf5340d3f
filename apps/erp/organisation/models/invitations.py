"""Invitations of people to a bureau, with the named role that they accept."""

import hashlib
from datetime import timedelta
from typing import ClassVar

from django.conf import settings
from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, short_text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import BUREAU_GRANTING

VALID = timedelta(days=7)  # a link, from when it is made


class Invitation(BureauResource):
    """An offer of a role in a bureau, accepted once by the user who opens its link.

    role        : a named set of rights (`named_roles`)
    name        : who is meant, as the inviting person calls them
    expires     : until when the link can be used; null: it has none
    accepted_by : who has accepted it
    """

    class Role(models.TextChoices):
        OWNER = "owner"
        PRODUCTION = "production"
        SALES = "sales"
        VIEWER = "viewer"

    KIND = "invitation"
    RIGHT = BUREAU_GRANTING
    PRIVATE = frozenset({"creator", "token_sha256"})
    FIXED = frozenset({"role"})
    READ_ONLY = frozenset({"expires", "accepted_by"})
    SORTED: ClassVar[tuple[str, ...]] = ("expires",)

    bureau = BureauForeignKey("erp.Bureau", models.CASCADE, db_index=False)
    role = models.CharField(max_length=16, choices=Role)
    name = short_text_field()
    token_sha256 = models.BinaryField(max_length=32, null=True, unique=True, editable=False)
    expires = models.DateTimeField(null=True, editable=False)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, editable=False, related_name="+"
    )
    creator = user_field()


def hashed(token: str) -> bytes:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
