"""Create, update and find storefronts."""

from django.db import transaction

from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.storefronts import Storefront
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError


def find_storefront(slug: str) -> Storefront | None:
    """Return the storefront with this slug, if it is enabled."""
    rows = Storefront.objects.select_related("bureau__creator", "price_list")
    return rows.filter(slug=slug, enabled=True).first()


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
