"""Visits of storefronts."""

from typing import TYPE_CHECKING, Self

from django.conf import settings
from django.db import models

from core.auth_user import Person
from core.keys import uuid7
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
    account, session : of the customer who has signed in, and the key of the API token by which
    totals     : what an order of the cart comes to, where it was computed; not stored
    """

    SERVICE = "sales"
    KIND = "visit"

    guest = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    storefront = models.CharField(max_length=63)
    bureau = models.CharField(max_length=500)
    expires = models.DateTimeField()
    cart = models.JSONField(default=list, db_default=[], blank=True)
    account = models.ForeignKey(
        "CustomerAccount", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    session = models.UUIDField(null=True, blank=True)

    objects = VisitQuerySet.as_manager()

    # Returned once, in the answer of its creation.
    token: str | None = None
    secret: str | None = None
    totals: "OrderTotals | None" = None
    is_signed_in = False

    def __str__(self) -> str:
        return f"{self.storefront} {self.uuid}"


class CustomerAccountQuerySet(models.QuerySet):
    """Queries of customer accounts."""

    def visible_to(self, user: Person) -> Self:
        """Return the account of a customer; all for administrators."""
        return self if user.is_staff else self.filter(user=user)


class CustomerAccount(Resource):
    """The account of a customer of a bureau, who has confirmed an e-mail address.

    user      : the guest whose API tokens are the customer's sessions
    bureau    : URI of the bureau that sells
    email     : confirmed by a link; lower-case
    password  : hash; empty: the customer signs in by links alone
    confirmed : when the customer last signed in by a link
    billing_address, delivery_address : street, postcode, city and country; null if not set
    """

    SERVICE = "sales"
    KIND = "customer-account"

    user = models.OneToOneField(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    bureau = models.CharField(max_length=500)
    email = models.EmailField()
    name = models.CharField(max_length=200, blank=True, default="")
    company = models.CharField(max_length=200, blank=True, default="")
    vat_number = models.CharField(max_length=32, blank=True, default="")
    billing_address = models.JSONField(null=True, blank=True)
    delivery_address = models.JSONField(null=True, blank=True)
    password = models.CharField(max_length=128, blank=True, default="")
    confirmed = models.DateTimeField()

    objects = CustomerAccountQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["bureau", "email"], name="customer_account_once")
        ]

    def __str__(self) -> str:
        return self.email


class CustomerLink(models.Model):
    """A mailed link by which a customer signs in once.

    storefront   : slug of the storefront whose page the link opens
    email        : address that it was mailed to; lower-case
    token_sha256 : of the token, which is stored nowhere
    """

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    storefront = models.CharField(max_length=63)
    bureau = models.CharField(max_length=500)
    email = models.EmailField()
    token_sha256 = models.BinaryField(unique=True)
    expires = models.DateTimeField(db_index=True)
    used = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.storefront} {self.email}"
