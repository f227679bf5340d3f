"""Storefront pages: materials, quantities, limits and brand, as visitors see them."""

from typing import Annotated, TypedDict

from apps.erp.orders.models.storefronts import Storefront
from apps.erp.organisation.serializers.brands import CustomerShop, customer_shop
from core.api.openapi.response_types import Uri

QUANTITIES = (1, 5, 10, 25)  # that visitors are shown prices of


class OfferedMaterial(TypedDict):
    """A material that visitors can choose."""

    uri: Uri
    name: str
    color: Annotated[str | None, "Color of the material, such as #1798a5; null if not set."]


class OfferedFinish(TypedDict):
    """A post-processing that visitors can choose."""

    uri: Uri
    name: str


class StorefrontPage(TypedDict):
    """A storefront as visitors see it."""

    slug: str
    title: Annotated[str, "Heading; empty: the name of the shop."]
    text: str
    currency: str
    country: Annotated[str, "Country that the shop sells from; empty if not set."]
    materials: list[OfferedMaterial]
    finishes: Annotated[list[OfferedFinish], "Finishes that can be chosen."]
    support_strategies: Annotated[
        list[str], "Supports that can be chosen; empty: those of the printer."
    ]
    infill_strategies: Annotated[
        list[str], "Infill that can be chosen; empty: that of the printer."
    ]
    layer_thicknesses: Annotated[
        list[float], "Layer heights that can be chosen, mm; empty: that of the printer."
    ]
    quantities: Annotated[list[int], "Quantities of price tables where a request names none."]
    prepayment: Annotated[bool, "Whether production of an order starts once it is paid."]
    max_files: int
    max_megabytes: int
    days_kept: int
    origins: Annotated[list[str], "Websites that may show the storefront in a frame."]
    shop: CustomerShop


def storefront_page(row: Storefront) -> StorefrontPage:
    """Return what visitors see of a storefront."""
    return {
        "slug": row.slug,
        "title": row.title,
        "text": row.text,
        "currency": row.bureau.currency,
        "country": row.price_list.country,
        "materials": [
            {"uri": each.uri, "name": each.name, "color": each.color or None}
            for each in row.materials.order_by("name")
        ],
        "finishes": [
            {"uri": each.uri, "name": each.name}
            for each in row.post_processor_types.order_by("name")
        ],
        "support_strategies": row.support_strategies,
        "infill_strategies": row.infill_strategies,
        "layer_thicknesses": row.layer_thicknesses,
        "quantities": list(QUANTITIES),
        "prepayment": row.prepayment,
        "max_files": row.max_files,
        "max_megabytes": row.max_megabytes,
        "days_kept": row.days_kept,
        "origins": row.origins,
        "shop": customer_shop(row.bureau),
    }
