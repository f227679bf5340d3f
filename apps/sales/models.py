"""Visits of storefronts."""

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from core.auth_user import Person
from core.resources import Resource

if TYPE_CHECKING:
    from apps.erp.interface import OrderTotals


class VisitQuerySet(models.QuerySet):
    """Queries of visits."""

    def visible_to(self, user: Person) -> Self:
        """Return the visit of a guest; all for administrators."""
        return self if user.is_staff else self.filter(guest=user)


class Visit(Resource):
    """A visit of a storefront by a guest, with whom it ends.

    storefront : its slug when the visit began
    bureau     : URI of the bureau that sells
    expires    : end of the guest's account and token
    cart       : chosen cells of price tables, [{table, cell}]
    totals     : what an order of the cart comes to, where it was computed; not stored
    """

    SERVICE = "sales"
    KIND = "visit"

    guest = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    storefront = models.CharField(max_length=63)
    bureau = models.CharField(max_length=500)
    expires = models.DateTimeField()
    cart = models.JSONField(default=list, db_default=[], blank=True)

    objects = VisitQuerySet.as_manager()

    # Returned once, in the answer of its creation.
    token: str | None = None
    secret: str | None = None
    totals: "OrderTotals | None" = None

    def __str__(self) -> str:
        return f"{self.storefront} {self.uuid}"
