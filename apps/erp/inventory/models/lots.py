"""Material lots."""

from django.db import models

from apps.erp.base.model_fields import (
    Above,
    Amount,
    BureauForeignKey,
    Money,
    amount_of,
    short_text_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Location
from apps.erp.organisation.models.master_data import Material


class Stock(BureauResource):
    """A lot of a material that lies at a location.

    lot       : what its maker calls it
    price     : of all of it, in the bureau's currency
    initial   : what came; null: it is not counted, and nothing below means anything
    remaining : the sum of its movements; reserved: what runs that have not begun will take of it
    spoolman_id  : the spool that it is in the shop's Spoolman; spoolman_left: what that said last

    Stored and returned, without effect: quantity, status.
    """

    class Unit(models.TextChoices):
        GRAM = "g"
        MILLILITRE = "ml"

    KIND = "stock"
    PARENT = "location"
    RIGHT = "stock.all"
    SORTED = ("expires", "remaining")
    FIXED = frozenset({"unit", "initial"})
    READ_ONLY = frozenset({"remaining", "reserved"})
    PRIVATE = frozenset({"spoolman_left"})

    location = BureauForeignKey(Location)
    material = BureauForeignKey(Material)
    status = short_text_field()
    quantity = amount_of(default=1)
    lot = short_text_field()
    supplier = short_text_field()
    received = models.DateTimeField(null=True, blank=True)
    opened = models.DateTimeField(null=True, blank=True)
    expires = models.DateTimeField(null=True, blank=True)
    price = Money(null=True, blank=True)
    unit = models.CharField(max_length=2, choices=Unit, default=Unit.GRAM)
    initial = Amount(null=True, blank=True, validators=[Above(0)])
    remaining = Amount(null=True, blank=True)
    reserved = Amount(default=0, blank=True)
    spoolman_id = models.PositiveIntegerField(null=True, blank=True, validators=[Above(0)])
    spoolman_left = Amount(null=True, editable=False)

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["location", "spoolman_id"], name="spool_once")
        ]

    def __str__(self) -> str:
        return self.lot or f"stock {self.uuid}"

    @property
    def free(self) -> int:
        """What nobody has reserved of it."""
        return (self.remaining or 0) - self.reserved
