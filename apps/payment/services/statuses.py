"""Payment statuses, created on first read."""

from apps.payment.models import PaymentStatus, Price
from core.auth_user import Person


def prepare_statuses(user: Person) -> None:
    """See to it that the user has a status for every price."""
    priced = Price.objects.filter(deleted=None)
    missing = priced.exclude(pk__in=PaymentStatus.objects.filter(owner=user).values("price"))
    rows = [PaymentStatus.of(user, price) for price in missing]
    PaymentStatus.objects.bulk_create(rows, ignore_conflicts=True)
