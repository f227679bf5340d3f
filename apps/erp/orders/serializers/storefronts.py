"""Storefronts: what a request body may have."""

from apps.erp.base.serializers.resources import serializer_of
from apps.erp.orders.models.storefronts import Storefront
from core.api.fields import PatternText

SLUG = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])\Z"

StorefrontSerializer = serializer_of(
    Storefront,
    slug=PatternText(
        SLUG,
        max_length=63,
        error_messages={
            "invalid": "Send 2 to 63 lower-case letters, digits and hyphens, such as nordform-3d."
        },
    ),
)
