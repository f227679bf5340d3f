"""Half-open probe of an unreachable origin (circuit breaker)."""

from django.db import transaction
from django.db.models.functions import Now

from apps.callbacks.models import Delivery, Origin
from apps.callbacks.models.delivery import ring


@transaction.atomic
def probe(origin: Origin) -> bool:
    """Request the oldest of what waits for `origin` now; False where nothing waits."""
    waiting = Delivery.objects.filter(origin=origin, state=Delivery.State.PENDING)
    oldest = waiting.select_for_update().order_by("next_at").first()
    if oldest is None:
        return False
    Delivery.objects.filter(pk=oldest.pk).update(next_at=Now())
    Origin.objects.filter(pk=origin.pk).exclude(probe_at=None).update(probe_at=Now())
    ring()
    return True
