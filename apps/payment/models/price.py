"""Price of an action."""

from typing import Self

from django.db import models

from core import model_fields
from core.resources import Deletable, Resource


class PriceQuerySet(models.QuerySet):
    def of(self, *, namespace: str, action: str, service: str = "") -> Self:
        """The price of an action, at most one: that of the service beats that of its type."""
        named = self.filter(deleted=None, namespace=namespace, action=action)
        return named.filter(service__in={"", service}).order_by("-service")[:1]


class Price(Deletable, Resource):
    """What one action in a namespace costs; with `service`, at that service alone."""

    SERVICE = "payment"
    KIND = "price"

    namespace = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    service = models.CharField(max_length=500, blank=True)
    amount = model_fields.amount()
    currency = model_fields.currency()
    type = models.CharField(max_length=32, default="per-use")
    updated = model_fields.DatabaseTimeField(auto_now=True)
    deleted = models.DateTimeField(null=True, blank=True)

    objects = PriceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["namespace", "action", "service"],
                condition=models.Q(deleted=None),
                name="one_price_an_action",
            ),
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="price_is_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.action}: {self.amount} {self.currency}"
