"""Begin visits of storefronts."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from apps.erp import interface as erp
from apps.sales.models import Visit
from apps.users import interface as users
from core.errors import NotFound
from core.request_context import request_context
from core.web import throttling

HOUR = 3600
MEGABYTE = 10**6
# The services that a guest's token is for.
NAMESPACES = ("models", "sales")


def create(*, storefront: str) -> Visit:
    """Begin a visit of the storefront with this slug, by a new guest.

    Raises NotFound, and RateLimited beyond the visits that one address may begin in an hour.
    """
    offer = erp.find_offer(storefront)
    if offer is None:
        raise NotFound(f"There is no storefront {storefront!r}.", field="storefront")
    # Outside of the transaction, which would take the count back.
    place = throttling.client_prefix(request_context().address)
    throttling.throttle(f"visits {offer.key} {place}", offer.visits_per_hour, HOUR)
    expires = timezone.now() + timedelta(days=offer.days)
    limits = {"models_day": offer.max_files, "bytes": offer.max_megabytes * MEGABYTE}
    with transaction.atomic():
        guest = users.create_guest(
            share=offer.key, until=expires, namespaces=NAMESPACES, limits=limits
        )
        visit = Visit.objects.create(
            guest=guest.account, storefront=offer.slug, bureau=offer.bureau, expires=expires
        )
    visit.token, visit.secret = str(guest.token), guest.secret
    return visit
