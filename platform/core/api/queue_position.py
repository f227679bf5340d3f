"""`queue` field: position and expected wait of queued resources."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

from django.db.models import Q

from core.api.lists.list_queries import boolean
from core.api.views import ResourceViewSet
from core.queue import fair_queueing

# The states in which something may wait for a worker.
WAITING = ("queued", "created", "processing", "calculating")


class PlaceAnswer(TypedDict):
    """A place in a queue."""

    before: Annotated[int, "Number of jobs ahead in the queue, at most 1000."]
    seconds: Annotated[int, "Estimated waiting time, s, rounded to two digits."]


class WithQueuePosition(TypedDict):
    """Mixin of answers with a place in a queue; null until QueuePositionMixin computes it."""

    queue: PlaceAnswer | None


def _asked(value: str) -> Q:
    """Check a list's argument `queue`, which includes places and filters nothing."""
    boolean(value)
    return Q()


class QueuePositionMixin(ResourceViewSet):
    """Include `queue`: for one resource always, in a list with `?queue=true`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.listing = replace(cls.listing, plain={**cls.listing.plain, "queue": _asked})

    def represent_all(self, rows: Sequence[Any]) -> list[Any]:
        represented = super().represent_all(rows)
        places = self._places(rows, represented)
        for row, one in zip(rows, represented, strict=True):
            one["queue"] = places.get(str(row.uuid)) if places else None
        return represented

    def may_wait(self, represented: Mapping[str, object]) -> bool:
        """Return whether the resource may be in a queue, by its answer."""
        return represented["status"] in WAITING

    def _places(self, rows: Iterable[Any], represented: Iterable[Any]) -> dict[str, dict[str, int]]:
        if self.action == "list" and not boolean(self.request.query_params.get("queue", "false")):
            return {}
        pairs = zip(rows, represented, strict=True)
        waiting = [str(row.uuid) for row, one in pairs if self.may_wait(one)]
        return fair_queueing.queue_positions(waiting) if waiting else {}
