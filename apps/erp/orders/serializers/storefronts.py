"""Storefronts: what a request body may have, and what is returned beside the columns."""

import re
from typing import Annotated, Literal, TypedDict

from rest_framework import serializers

from apps.erp.base.serializers.resources import answer_of, serializer_of
from apps.erp.orders.domain.print_options import PERCENT, THICKEST_LAYER
from apps.erp.orders.models.storefronts import Storefront
from core.api.fields import Choice, Number, PatternText, StrictText

SLUG = r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])\Z"
SUPPORTS = ("auto", "on", "off")
MAX_CHOICES = 10  # of a print option
MAX_ORIGINS = 20
DEFAULT_PORTS = {"https": 443, "http": 80}
HOST = re.compile(
    r"(?=.{4,253}\Z)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]"
)


class OriginText(StrictText):
    """The origin of a website, as browsers write it: lower-case letters, no default port."""

    default_error_messages = {
        "no_origin": "Send the origin of a website, such as https://www.example.com: https (or "
        "http://localhost), host, and port if it has one; no path, no wildcard."
    }

    def to_internal_value(self, data: object) -> str:
        text = super().to_internal_value(data)
        scheme, _, rest = text.lower().removesuffix("/").partition("://")
        host, colon, port = rest.partition(":")
        is_host = host == "localhost" or (scheme == "https" and HOST.fullmatch(host))
        is_port = not colon or (port.isascii() and port.isdecimal() and 0 < int(port[:6]) < 65536)
        if scheme not in DEFAULT_PORTS or not is_host or not is_port:
            self.fail("no_origin")
        if not colon or int(port) == DEFAULT_PORTS[scheme]:
            return f"{scheme}://{host}"
        return f"{scheme}://{host}:{int(port)}"


StorefrontSerializer = serializer_of(
    Storefront,
    slug=PatternText(
        SLUG,
        max_length=63,
        error_messages={
            "invalid": "Send 2 to 63 lower-case letters, digits and hyphens, such as nordform-3d."
        },
    ),
    support_strategies=serializers.ListField(
        child=Choice(SUPPORTS), max_length=len(SUPPORTS), required=False
    ),
    infill_strategies=serializers.ListField(
        child=PatternText(
            PERCENT, max_length=16, error_messages={"invalid": "Send a percentage, such as 20%%."}
        ),
        max_length=MAX_CHOICES,
        required=False,
    ),
    layer_thicknesses=serializers.ListField(
        child=Number(above=0, max_value=THICKEST_LAYER), max_length=MAX_CHOICES, required=False
    ),
    origins=serializers.ListField(
        child=OriginText(max_length=300), max_length=MAX_ORIGINS, required=False
    ),
)


class StorefrontBeside(TypedDict):
    """What the columns of a storefront do not say."""

    support_strategies: list[Annotated[str, Literal[*SUPPORTS]]]
    infill_strategies: list[str]
    layer_thicknesses: list[float]
    origins: list[str]


StorefrontAnswer = answer_of(Storefront, StorefrontBeside)
