"""Jobs: end visits whose time is over."""

from uuid import UUID

import dramatiq
from django.db import transaction

from apps.sales.models import Visit
from apps.users import interface as users
from apps.warehouse import interface as warehouse


@dramatiq.actor(queue_name="default")
def end_visits() -> None:
    """End the visits that are over, each by a job of its own: one that fails stops no other."""
    for guest in users.guests.expired_guests():
        end_visit.send(str(guest.pk))


@dramatiq.actor(queue_name="default")
def end_visit(guest: str) -> None:
    """Delete the models of a guest, then the visit and the account.

    As long as a model is in production all are there, and the next run tries again.
    """
    key = UUID(guest)
    with transaction.atomic():
        if warehouse.delete_models_of(key):
            Visit.objects.filter(guest=key).delete()
            users.guests.end_guest(key)
