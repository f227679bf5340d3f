"""Create, update and find storefronts."""

from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.storefronts import Storefront
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError


@dataclass(frozen=True)
class Offer:
    """What an enabled storefront says of visits, with the meanings of `Storefront`.

    days : after which a visit ends
    """

    key: UUID
    slug: str
    bureau: str
    max_files: int
    max_megabytes: int
    visits_per_hour: int
    days: int


def find_offer(slug: str) -> Offer | None:
    """Return the enabled storefront with this slug, if there is one."""
    row = Storefront.objects.filter(slug=slug, enabled=True).first()
    if row is None:
        return None
    return Offer(
        key=row.pk,
        slug=row.slug,
        bureau=Bureau.uri_of(row.bureau_id),
        max_files=row.max_files,
        max_megabytes=row.max_megabytes,
        visits_per_hour=row.visits_per_hour,
        days=row.days_kept,
    )


@transaction.atomic
def create(*, actor: Person, **values: object) -> Storefront:
    """A storefront of a bureau. Raises InvalidFields."""
    row: Storefront = resources.create(actor=actor, kind=Storefront, **values)
    _require_consistent(row)
    return row


@transaction.atomic
def change(*, actor: Person, row: Storefront, **values: object) -> None:
    """Change what was given. Raises InvalidFields."""
    resources.change(actor=actor, row=row, **values)
    _require_consistent(row)


def _require_consistent(row: Storefront) -> None:
    faults: list[ServiceError] = []
    if row.review == Storefront.Review.ABOVE and row.review_above is None:
        title = "Orders above an amount are reviewed, and there is none: send review_above."
        faults.append(ServiceError(title, code="missing-parameter", field="review_above"))
    if row.enabled and not row.materials.exists():
        title = "An enabled storefront offers at least one material: send materials."
        faults.append(ServiceError(title, code="missing-parameter", field="materials"))
    if faults:
        raise InvalidFields(faults)
