"""Consent of a user to be charged for an action, with limits."""

from typing import Any, Self

from django.db import models

from core import model_fields
from core.auth_user import Person
from core.ownership import Owned, OwnedQuerySet


class ConsentQuerySet(OwnedQuerySet):
    def in_force(self, *, owner: Person | models.OuterRef, namespace: Any, action: Any) -> Self:
        """Return the user's newest consent to an action, at most one."""
        said = self.filter(owner=owner, namespace=namespace, action=action, deleted=None)
        return said.order_by("-uuid")[:1]


class Consent(Owned):
    """Whether a user agrees to be charged for an action; the newest of each action counts.

    per_charge, per_month : ceilings in `currency`; None = no ceiling
    """

    SERVICE = "payment"
    KIND = "consent"

    namespace = models.CharField(max_length=64)
    action = models.CharField(max_length=64)
    consented = models.BooleanField()
    per_charge = model_fields.amount(null=True, blank=True)
    per_month = model_fields.amount(null=True, blank=True)
    currency = model_fields.currency(blank=True)
    # Written on what is charged by it, for the user's own books.
    cost_centre = models.CharField(max_length=64, blank=True)

    objects = ConsentQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        indexes = [
            models.Index(fields=["owner", "namespace", "action", "uuid"], name="consent_of"),
        ]

    def __str__(self) -> str:
        return f"{self.namespace}/{self.action}: {'yes' if self.consented else 'no'}"
