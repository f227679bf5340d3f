"""Resources that are worked on in a queue: they tell how long the line before them is."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q
from rest_framework import serializers

from core import turns
from core.api.fields import StrictSerializer
from core.api.lists import boolean
from core.api.views import ResourceViewSet

# The states in which something may wait for a worker.
WAITING = ("queued", "created", "processing", "calculating")


class PlaceSerializer(serializers.Serializer):
    """A place in a queue.

    before  : how many jobs are done first, at most 1000
    seconds : about how long that takes, to two digits
    """

    before = serializers.IntegerField(min_value=0, max_value=turns.MOST)
    seconds = serializers.IntegerField(min_value=0)


class Waiter(StrictSerializer):
    """What waits for a worker tells its place; null where it does not wait, or no more."""

    queue = PlaceSerializer(read_only=True, allow_null=True)


def _asked(value: str) -> Q:
    """A list's argument `queue`: whether places are told; it chooses no rows."""
    boolean(value)
    return Q()


class WaitingTellers(ResourceViewSet):
    """Tell `queue`: of one resource always, in a list with `?queue=true`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.listing = replace(cls.listing, plain={**cls.listing.plain, "queue": _asked})

    def represent_all(self, rows: Sequence[Any]) -> list[dict[str, Any]]:
        told = super().represent_all(rows)
        places = self._places(rows, told)
        return [
            {**one, "queue": places.get(str(row.uuid))} for row, one in zip(rows, told, strict=True)
        ]

    def may_wait(self, told: dict[str, Any]) -> bool:
        """Whether it may be in a queue, by what is told of it."""
        return told["status"] in WAITING

    def _places(self, rows: Iterable[Any], told: Iterable[Any]) -> dict[str, dict[str, int]]:
        arguments = self.request.query_params
        if self.action == "list" and not boolean(arguments.get("queue", "false")):
            return {}
        pairs = zip(rows, told, strict=True)
        waiting = [str(row.uuid) for row, one in pairs if self.may_wait(one)]
        return turns.places(waiting) if waiting else {}
