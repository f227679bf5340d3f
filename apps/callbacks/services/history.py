"""Event history of a resource with its deliveries; replay."""

from django.db.models import Prefetch, Q, QuerySet

from apps.callbacks.models import Delivery, Event, Outcome
from apps.callbacks.services.event_scopes import board_of
from core.auth_user import Person
from core.errors import Conflict, NotFound
from core.state_machine import EventScope
from core.uris import resource_uri
from core.web import throttling

# Each replay is a request to somebody's server.
REPLAYS_PER_MINUTE = 60


class NothingToReplay(Conflict):
    """The event has no delivery, or none whose receiver is still subscribed."""

    code = "nothing-to-replay"


def events_of(uri: str, *, user: Person) -> QuerySet[Event]:
    """Return the events of a resource that `user` may see, each with its deliveries.

    These are the events of their own resources, those of a bureau that they read and those
    delivered to a callback of theirs; administrators see all. Deliveries are their own.
    """
    events = Event.objects.filter(uri=uri)
    deliveries = Delivery.objects.order_by("uuid")
    if not user.is_staff:
        received = Delivery.objects.filter(event__uri=uri, owner=user).values("event")
        of_bureau = Q(bureau=board.bureau) if (board := bureau_read(uri, user)) else Q()
        events = events.filter(Q(owner=user) | Q(pk__in=received) | of_bureau)
        deliveries = deliveries.filter(owner=user)
    return events.prefetch_related(
        Prefetch("deliveries", deliveries.select_related("subscription", "origin")),
        Prefetch("deliveries__outcomes", Outcome.objects.order_by("first_at")),
    )


def bureau_read(uri: str, user: Person) -> EventScope | None:
    """The bureau that the events of a resource belong to; None where `user` may not read it."""
    keys = Event.objects.filter(uri=uri, bureau__isnull=False).values_list("bureau", flat=True)
    if (bureau := keys.first()) is None:
        return None
    try:
        return board_of(bureau=resource_uri("erp", "bureau", uuid=bureau), location=None, user=user)
    except NotFound:
        return None


def replay(event: Event, *, user: Person) -> None:
    """Deliver an event again to those of its receivers that `user` sees, with the same webhook-ids.

    Deliveries that are still pending are unchanged.
    """
    throttling.throttle(f"replays {user.pk}", REPLAYS_PER_MINUTE, 60)
    deliveries = Delivery.objects.filter(event=event).exclude(state=Delivery.State.PENDING)
    if not user.is_staff:
        deliveries = deliveries.filter(owner=user)
    if not deliveries.deliver_again(by=user):
        raise NothingToReplay(
            "This event has no receiver that it could be sent to again: it had none, or "
            "their subscription ended, or it is still being sent."
        )
