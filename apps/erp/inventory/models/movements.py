"""Stock movements (append-only) and reservations."""

from django.db import models
from django.db.models import Q

from apps.erp.base.model_fields import Amount, BureauForeignKey, text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.inventory.models.lots import Stock
from apps.erp.organisation.models.master_data import Material


class StockMovement(BureauResource):
    """An entry in the book of a lot, which nobody changes any more.

    amount : what it adds to the lot: what is taken is below 0
    source : who says so: machine or gcode of a print, the model of its parts, the shop's
             Spoolman, or a person
    """

    class Kind(models.TextChoices):
        RECEIPT = "receipt"
        USE = "use"
        REJECT = "reject"
        CORRECTION = "correction"
        RETURN = "return"

    class Source(models.TextChoices):
        MACHINE = "machine"
        GCODE = "gcode"
        MODEL = "model"
        SPOOLMAN = "spoolman"
        PERSON = "person"

    ADDING = (Kind.RECEIPT, Kind.RETURN)
    TAKING = (Kind.USE, Kind.REJECT)

    KIND = "stock-movement"
    PARENT = "stock"
    READ_ONLY = frozenset({"run", "attempt", "source"})
    PRIVATE = frozenset({"creator"})

    stock = BureauForeignKey(Stock, related_name="movements")
    kind = models.CharField(max_length=16, choices=Kind)
    amount = Amount()
    run = BureauForeignKey("erp.Run", null=True, blank=True)
    attempt = BureauForeignKey("erp.Attempt", null=True, blank=True, related_name="movements")
    source = models.CharField(max_length=16, choices=Source, default=Source.PERSON)
    notes = text_field()
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.CheckConstraint(
                condition=(
                    Q(kind__in=("receipt", "return"), amount__gt=0)
                    | Q(kind__in=("use", "reject"), amount__lt=0)
                    | Q(kind="correction") & ~Q(amount=0)
                ),
                name="movement_of_its_kind",
            )
        ]


class Reservation(models.Model):
    """What a run that has not begun will take of a material.

    stock : the lot of which it is set aside; null: no lot has it
    """

    run = models.ForeignKey("erp.Run", models.CASCADE, related_name="reservations")
    material = BureauForeignKey(Material)
    stock = BureauForeignKey(Stock, null=True, blank=True, related_name="reservations")
    amount = Amount()

    def __str__(self) -> str:
        return f"{self.run_id} of {self.stock_id or self.material_id}"

    @property
    def uri(self) -> str:
        """Of its run: it is shown as that."""
        return self.run.uri
