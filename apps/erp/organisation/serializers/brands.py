"""Bureaus as JSON, and back; the pictures of their logos."""

import base64
import binascii
from typing import Annotated, TypedDict
from urllib.parse import urlsplit

from rest_framework import serializers

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.serializers.resources import ColorField, answer_of, resource, serializer_of
from apps.erp.organisation.domain.contrast import MIN_CONTRAST, contrast_with_white
from core.api.fields import StrictSerializer, StrictText, UrlText
from core.api.openapi.response_types import Uri
from core.uris import base_url

MAX_LOGO_BYTES = 1024**2


class AccentField(ColorField):
    """#RRGGBB, on which white text is readable."""

    def to_internal_value(self, data: object) -> str:
        color = super().to_internal_value(data).lower()
        if (contrast := contrast_with_white(color)) < MIN_CONTRAST:
            raise serializers.ValidationError(
                f"White text on {color} has a contrast of {contrast:.1f} : 1. Send a darker color, "
                f"with {MIN_CONTRAST} : 1 or more.",
                code="low-contrast",
            )
        return color


class WebsiteField(UrlText):
    """The address of a web page."""

    def to_internal_value(self, data: object) -> str:
        url = super().to_internal_value(data)
        try:
            parts = urlsplit(url)
            is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
        except ValueError:
            is_web = False
        if not is_web or any(letter.isspace() for letter in url):
            title = "Send a web address such as https://example.com/."
            raise serializers.ValidationError(title, code="not-allowed")
        return url


class LogoSerializer(StrictSerializer):
    """The picture of a logo; the value of its content is the bytes."""

    content = StrictText(
        max_length=MAX_LOGO_BYTES * 4 // 3 + 4,
        help_text="PNG, JPEG or WebP in base64, at most 1 MiB and 4096 x 4096 pixels.",
    )

    def validate_content(self, content: str) -> bytes:
        try:
            return base64.b64decode(content, validate=True)
        except binascii.Error:
            raise serializers.ValidationError("Send base64.", code="not-allowed") from None


BureauSerializer = serializer_of(
    Bureau,
    accent=AccentField(required=False, allow_blank=True),
    website=WebsiteField(required=False, allow_blank=True, max_length=2048),
)


class BureauBeside(TypedDict):
    """What a bureau tells beside its columns."""

    logo: Annotated[
        Uri | None, "Address of the logo, a PNG of at most 512 x 512 pixels; null without one."
    ]
    accent_contrast: Annotated[
        float | None, "Contrast of the accent color with white; null without one."
    ]
    style: Annotated[
        Uri | None, "Address of a style sheet that sets --accent; null without an accent color."
    ]


class CustomerShop(TypedDict):
    """A bureau as its customers see it; texts are empty where the bureau has none."""

    name: str
    introduction: str
    language: Annotated[str, "Language of its pages; empty: that of the browser."]
    email: str
    phone: str
    website: str
    address: str
    logo: Annotated[Uri | None, "Address of the logo; null without one."]
    style: Annotated[Uri | None, "Address of a style sheet that sets --accent; null without one."]


BureauAnswer = answer_of(Bureau, BureauBeside)


def customer_shop(bureau: Bureau) -> CustomerShop:
    """Return what customers see of a bureau."""
    brand = _brand(bureau)
    return {
        "name": bureau.name,
        "introduction": bureau.introduction,
        "language": bureau.language,
        "email": bureau.email,
        "phone": bureau.phone,
        "website": bureau.website,
        "address": bureau.address,
        "logo": brand["logo"],
        "style": brand["style"],
    }


def bureau_resource(bureau: Bureau) -> dict[str, object]:
    """A bureau as JSON."""
    return {**resource(bureau), **_brand(bureau)}


def _brand(bureau: Bureau) -> BureauBeside:
    """The addresses change with what is at them, so that both are cached."""
    brand = f"{base_url('')}/brand/{bureau.pk}"
    return {
        "logo": f"{brand}.png?v={bureau.logo_sha256[:12]}" if bureau.logo_sha256 else None,
        "accent_contrast": (
            round(contrast_with_white(bureau.accent), 1) if bureau.accent else None
        ),
        "style": f"{brand}.css?v={bureau.accent[1:]}" if bureau.accent else None,
    }
