"""Share links: addresses by which a customer follows an order without an account."""

import hashlib
from typing import ClassVar

from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.orders import Order


class ShareLink(BureauResource):
    """A secret address of an order's page for its customer.

    expires : until when it can be used; null: without an end
    revoked : whether it cannot be used any more
    """

    KIND = "share-link"
    PARENT = "order"
    PRIVATE = frozenset({"creator", "token_sha256"})
    SORTED: ClassVar[tuple[str, ...]] = ("expires",)

    order = BureauForeignKey(Order, models.CASCADE, related_name="share_links")
    token_sha256 = models.BinaryField(max_length=32, null=True, unique=True, editable=False)
    expires = models.DateTimeField(null=True, blank=True)
    revoked = models.BooleanField(default=False, db_default=False)
    creator = user_field()


def hashed(token: str) -> bytes:
    """What is stored of a token."""
    return hashlib.sha256(token.encode()).digest()
