"""Payment status of a user and a priced action."""

from decimal import Decimal
from typing import Self
from uuid import uuid5

from django.conf import settings
from django.db import models
from django.db.models import Case, Exists, F, OuterRef, Q, Subquery, Value, When
from django.db.models.functions import Coalesce

from apps.payment.models.charge import Charge
from apps.payment.models.consent import Consent
from apps.payment.models.evaluation import CONSENT_REQUIRED, METHOD_REQUIRED, OK, Terms
from apps.payment.models.method import PaymentMethod
from apps.payment.models.price import Price
from core import model_fields
from core.auth_user import Person
from core.resources import HasUri


class PaymentStatusQuerySet(models.QuerySet):
    def evaluated(self) -> Self:
        """With what the evaluation needs, and its status as a column to filter by."""
        consents = Consent.objects.in_force(
            owner=OuterRef("owner"),
            namespace=OuterRef("price__namespace"),
            action=OuterRef("price__action"),
        )
        said = {
            name: Subquery(consents.values(name)[:1])
            for name in ("consented", "per_charge", "per_month")
        }
        spent = Charge.objects.spent_this_month(
            owner=OuterRef("owner"),
            namespace=OuterRef("price__namespace"),
            action=OuterRef("price__action"),
        )
        return self.select_related("price", "owner").annotate(
            **said,
            ceiling_currency=Subquery(consents.values("currency")[:1]),
            has_method=Exists(PaymentMethod.objects.usable(OuterRef("owner"))),
            spent=Coalesce(Subquery(spent), Decimal(0), output_field=model_fields.amount()),
            status=Case(
                When(~Q(consented=True), then=Value(CONSENT_REQUIRED)),
                When(has_method=False, then=Value(METHOD_REQUIRED)),
                When(_over_a_ceiling(), then=Value(CONSENT_REQUIRED)),
                default=Value(OK),
            ),
        )


def _over_a_ceiling() -> Q:
    amount, limited = F("price__amount"), Q(per_charge__isnull=False) | Q(per_month__isnull=False)
    return (
        limited & ~Q(ceiling_currency=F("price__currency"))
        | Q(per_charge__lt=amount)
        | Q(per_month__lt=amount + F("spent"))
    )


class PaymentStatus(HasUri, models.Model):
    """A priced action and a user; the row exists to give the pair a URI."""

    SERVICE = "payment"
    KIND = "payment-status"

    # What evaluated() adds.
    consented: bool | None
    has_method: bool
    per_charge: Decimal | None
    per_month: Decimal | None
    ceiling_currency: str | None
    spent: Decimal

    uuid = models.UUIDField(primary_key=True, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    price = models.ForeignKey(Price, on_delete=models.CASCADE, related_name="+")

    objects = PaymentStatusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "payment statuses"
        constraints = [
            models.UniqueConstraint(fields=["owner", "price"], name="one_status_an_action"),
        ]

    def __str__(self) -> str:
        return f"{self.price} for {self.owner}"

    @classmethod
    def of(cls, owner: Person, price: Price) -> "PaymentStatus":
        """Return the status of a pair, not saved yet.

        Its key is computed from the pair, so that a refusal whose transaction is rolled back can
        name it.
        """
        key = uuid5(price.pk, str(owner.pk))
        return cls(uuid=key, owner=owner, price=price)

    def terms(self) -> Terms:
        """Return the conditions of an evaluated row."""
        return Terms(
            namespace=self.price.namespace,
            action=self.price.action,
            amount=self.price.amount,
            currency=self.price.currency,
            consented=bool(self.consented),
            has_method=self.has_method,
            per_charge=self.per_charge,
            per_month=self.per_month,
            ceiling_currency=self.ceiling_currency or "",
        )
