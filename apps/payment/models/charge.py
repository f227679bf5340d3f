"""Charge: authorised, then captured or released."""

from typing import Any, Self

from django.conf import settings
from django.db import models
from django.db.models import Sum
from django.db.models.functions import Now, TruncMonth

from apps.payment.models.invoice import Invoice
from core import model_fields
from core.auth_user import Person
from core.resources import Resource
from core.state_machine import Stateful


class ChargeQuerySet(models.QuerySet):
    def visible_to(self, user: Person) -> Self:
        """A user's own; all for administrators."""
        return self if user.is_staff else self.filter(owner=user)

    def spent_this_month(
        self, *, owner: Person | models.OuterRef, namespace: Any, action: Any
    ) -> models.QuerySet:
        """Return a query of one value: the sum of a user's charges this month, also open ones."""
        made = self.filter(owner=owner, namespace=namespace, action=action, corrects=None)
        counted = made.exclude(status=Charge.Status.RELEASED).filter(
            created__gte=TruncMonth(Now()), currency=models.OuterRef("price__currency")
        )
        return counted.order_by().values("owner").annotate(total=Sum("amount")).values("total")


class Charge(Resource, Stateful):
    """An amount for the work of `source`: authorised, then due or released.

    `corrects` : the charge that this one refunds in part or whole, with a negative amount.
    """

    SERVICE = "payment"
    KIND = "charge"

    class Status(models.TextChoices):
        AUTHORISED = "authorised"
        RECORDED = "recorded"
        RELEASED = "released"

    TRANSITIONS = {Status.AUTHORISED: {Status.RECORDED, Status.RELEASED}}

    updated = model_fields.DatabaseTimeField(auto_now=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    namespace = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    type = models.CharField(max_length=32)
    source = models.CharField(max_length=500, db_index=True)
    amount = model_fields.amount()
    currency = model_fields.currency()
    cost_centre = models.CharField(max_length=64, blank=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.AUTHORISED)
    invoice = models.ForeignKey(
        Invoice, on_delete=models.PROTECT, null=True, blank=True, related_name="charges"
    )
    corrects = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="corrections"
    )

    objects = ChargeQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["source", "namespace", "action"],
                condition=models.Q(corrects=None) & ~models.Q(status="released"),
                name="charged_once",
            ),
            models.CheckConstraint(
                condition=models.Q(status="recorded") ^ models.Q(invoice=None),
                name="recorded_on_an_invoice",
            ),
        ]
        indexes = [models.Index(fields=["owner", "uuid"], name="charge_owner")]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.action}: {self.amount} {self.currency} ({self.status})"
