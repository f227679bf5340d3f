"""Master data: manufacturers, materials, shipping methods, service providers, exchange rates."""

from django.db import models

from apps.erp.base.model_fields import (
    Above,
    Amount,
    BureauForeignKey,
    Color,
    Currency,
    Money,
    amount_of,
    measure,
    name_field,
    short_text_field,
    text_field,
)
from apps.erp.base.models.abstract import BureauResource


class Manufacturer(BureauResource):
    """Who makes machines or materials."""

    KIND = "manufacturer"
    RIGHT = "manufacturer.all"
    GROUPS = {
        "contact": {"name": "contact_name", "phone": "contact_phone"},
        "support": {"name": "support_name", "phone": "support_phone"},
    }

    name = name_field()
    address = text_field()
    notes = text_field()
    contact_name = short_text_field()
    contact_phone = short_text_field()
    support_name = short_text_field()
    support_phone = short_text_field()


class Material(BureauResource):
    """What parts, or their supports, are made of.

    filament_type : PLA, PETG and the like, by which a printer's preset for it is found
    density : g/cm3; powder_density: of it as powder, as it lies in a build
    cost    : per cm3
    reorder_point : how much of it is to be free in the bureau, in the unit of its lots
    stock_level   : low while less than that is free

    Stored and returned, without effect: third_party_fulfillment.
    """

    class Type(models.TextChoices):
        BASE = "base"
        SUPPORT = "support"

    class StockLevel(models.TextChoices):
        OK = "ok"
        LOW = "low"

    KIND = "material"
    RIGHT = "material.all"
    EXTRAS = ("units",)
    READ_ONLY = frozenset({"stock_level"})

    name = name_field()
    description = text_field()
    color = Color(blank=True, default="")
    type = models.CharField(max_length=16, choices=Type, default=Type.BASE)
    filament_type = short_text_field()
    manufacturer = BureauForeignKey(Manufacturer, null=True, blank=True)
    density = measure(null=True, blank=True)
    powder_density = measure(null=True, blank=True)
    cost = Money(null=True, blank=True)
    post_processing_seconds = amount_of(null=True, blank=True)
    third_party_fulfillment = models.BooleanField(default=False)
    reorder_point = Amount(null=True, blank=True, validators=[Above(0)])
    stock_level = models.CharField(
        max_length=8, choices=StockLevel, default=StockLevel.OK, db_default=StockLevel.OK
    )

    class Meta(BureauResource.Meta):
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(
                fields=["bureau"], name="material_low", condition=models.Q(stock_level="low")
            ),
        ]


class Shipping(BureauResource):
    """A way to send parts, and what it costs.

    Stored and returned, without effect: region.
    """

    KIND = "shipping"
    RIGHT = "shipping.all"

    name = name_field()
    description = text_field()
    region = short_text_field()
    cost = Money(null=True, blank=True)

    class Meta(BureauResource.Meta):
        verbose_name_plural = "shipping"


class ServiceProvider(BureauResource):
    """Somebody who works for the bureau."""

    KIND = "service-provider"
    RIGHT = "service_provider.all"

    name = name_field()
    description = text_field()


class ThirdParty(BureauResource):
    """Somebody else whom the bureau deals with."""

    KIND = "third-party"
    RIGHT = "third_party.all"

    name = name_field()
    description = text_field()

    class Meta(BureauResource.Meta):
        verbose_name_plural = "third parties"


class CurrencyConversion(BureauResource):
    """How many units of `currency` one unit of the bureau's currency buys."""

    KIND = "currency-conversion"
    RIGHT = "currency_conversion.all"

    currency = Currency()
    value = measure()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["bureau", "currency"], name="converted_once")
        ]
