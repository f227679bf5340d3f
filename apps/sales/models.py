"""Visits of storefronts."""

from typing import Self

from django.conf import settings
from django.db import models

from core.auth_user import Person
from core.resources import Resource


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
    """

    SERVICE = "sales"
    KIND = "visit"

    guest = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    storefront = models.CharField(max_length=63)
    bureau = models.CharField(max_length=500)
    expires = models.DateTimeField()

    objects = VisitQuerySet.as_manager()

    # Returned once, in the answer of its creation.
    token: str | None = None
    secret: str | None = None

    def __str__(self) -> str:
        return f"{self.storefront} {self.uuid}"
