"""manage.py replay_callbacks: send events again that receivers missed or lost."""

import time
from collections import Counter
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet

from apps.callbacks.models import Delivery, Origin
from core.api.lists.list_queries import moment
from core.uris import canonical


class Command(BaseCommand):
    help = (
        "Send callbacks again, with their webhook-id and a new lifetime: those that expired, or "
        "are in the states that are named. All conditions must hold."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        states = ", ".join(Delivery.State.values)
        parser.add_argument("--state", default="expired", help=f"by commas, of: {states}")
        parser.add_argument("--uri", help="of the resource that changed")
        parser.add_argument("--owner", help="login of the account whose callback it is")
        parser.add_argument("--origin", help="where they go to: https://shop.example:443")
        parser.add_argument("--event", type=UUID, help="one webhook-id")
        parser.add_argument("--status", help="how the last attempt ended: 500, timeout, ...")
        parser.add_argument("--since", type=moment, help="events from this time on, ISO 8601")
        parser.add_argument("--until", type=moment, help="events before this time")
        parser.add_argument("--rate", type=int, default=100, help="so many a second (100)")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be sent")

    def handle(self, *args: Any, **options: Any) -> None:
        """Send the chosen again, the oldest first."""
        if options["rate"] < 1:
            raise CommandError("--rate must be at least 1.")
        found = list(
            chosen(**{name: options[name] for name in CONDITIONS})
            .order_by("uuid")
            .values_list("uuid", "origin__origin")
        )
        for origin, count in Counter(origin for _, origin in found).most_common(20):
            self.stdout.write(f"{count:8} to {origin}")
        self.stdout.write(f"{len(found)} callbacks")
        if options["dry_run"]:
            return
        keys, sent = [key for key, _ in found], 0
        for begin in range(0, len(keys), options["rate"]):
            if begin:
                time.sleep(1)
            part = keys[begin : begin + options["rate"]]
            sent += Delivery.objects.filter(uuid__in=part).deliver_again(by=None)
            self.stdout.write(f"{sent} of {len(found)} will be sent again")


CONDITIONS = ("state", "uri", "owner", "origin", "event", "status", "since", "until")


def chosen(
    *,
    state: str,
    uri: str | None,
    owner: str | None,
    origin: str | None,
    event: UUID | None,
    status: str | None,
    since: datetime | None,
    until: datetime | None,
) -> QuerySet[Delivery]:
    """Return the deliveries that match all filters and still have a receiver."""
    states = state.split(",")
    if unknown := set(states) - set(Delivery.State.values):
        raise CommandError(f"There is no state {min(unknown)}: {', '.join(Delivery.State.values)}.")
    if owner and not get_user_model().objects.filter(username=owner).exists():
        raise CommandError(f"There is no account {owner}.")
    if origin and not Origin.objects.filter(origin=origin).exists():
        raise CommandError(
            f"Nothing was ever sent to {origin}: write scheme, host and port, as the operators' "
            "pages do."
        )
    given = {
        "event__uri": canonical(uri) if uri else None,
        "owner__username": owner,
        "origin__origin": origin,
        "uuid": event,
        "last_outcome": status,
        "event__created__gte": since,
        "event__created__lt": until,
    }
    conditions = {name: value for name, value in given.items() if value is not None}
    return Delivery.objects.with_receiver().filter(state__in=states, **conditions)
