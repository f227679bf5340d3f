"""Companies of customers: their members, and approvals of their orders."""

from typing import ClassVar

from django.db import models

from apps.erp.base.model_fields import (
    BureauForeignKey,
    Money,
    name_field,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import CUSTOMER_RIGHT, CustomerGroup


class CustomerCompany(BureauResource):
    """A company for which several people order at a bureau.

    approval_limit : net amount, in the currency of the bureau, above which an order of a buyer
                     needs an approval; null: none does
    group          : whose price list and terms hold for its members
    """

    KIND = "customer-company"
    RIGHT = CUSTOMER_RIGHT

    name = name_field()
    approval_limit = Money(null=True, blank=True)
    group = BureauForeignKey(CustomerGroup, null=True, blank=True)
    notes = text_field()

    class Meta(BureauResource.Meta):
        verbose_name_plural = "customer companies"


class CompanyMember(BureauResource):
    """A person who orders for a company.

    email : of the customer account; lower-case
    """

    class Role(models.TextChoices):
        BUYER = "buyer"
        APPROVER = "approver"

    KIND = "company-member"
    PARENT = "company"
    RIGHT = CUSTOMER_RIGHT

    company = BureauForeignKey(CustomerCompany, models.CASCADE, related_name="members")
    email = models.EmailField()
    name = short_text_field()
    role = models.CharField(max_length=8, choices=Role, default=Role.BUYER)

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["bureau", "email"], name="member_of_one_company")
        ]

    def __str__(self) -> str:
        return self.name or self.email


class OrderApproval(BureauResource):
    """A step of the approval of an order by its company; it never changes, the last one counts.

    person : name or address of the buyer who requested it, or of the approver who decided
    email  : address of the approver; empty for a request
    amount : net, in the currency of the order; null where it was not known
    """

    class Step(models.TextChoices):
        REQUESTED = "requested"
        APPROVED = "approved"
        DECLINED = "declined"

    KIND = "order-approval"
    PARENT = "order"
    RIGHT = CUSTOMER_RIGHT
    READ_ONLY = frozenset({"company", "step", "person", "email", "amount", "note"})
    PRIVATE = frozenset({"creator"})
    SORTED: ClassVar[tuple[str, ...]] = ("amount",)

    order = BureauForeignKey(Order, models.CASCADE, related_name="approvals")
    company = BureauForeignKey(CustomerCompany, models.CASCADE, related_name="approvals")
    step = models.CharField(max_length=16, choices=Step)
    person = short_text_field()
    email = models.EmailField(blank=True, default="")
    amount = Money(null=True, blank=True)
    note = text_field()
    creator = user_field()

    def __str__(self) -> str:
        return f"{self.step} by {self.person}"
