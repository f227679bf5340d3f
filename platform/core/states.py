"""The state machine of every resource that has a status."""

from typing import Any

from django.db import models
from django.utils import timezone


class IllegalTransition(Exception):
    """The row is no longer in a state that may move there: somebody else was first."""


class Stateful(models.Model):
    """A subclass declares `status` and TRANSITIONS = {from: {to, ...}}."""

    TRANSITIONS: dict[str, set[str]] = {}

    status: Any
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True

    def move(self, to: str, *, expect: dict[str, Any] | None = None, **fields: Any) -> None:
        """Set `status` to `to`, and `fields` with it, in one conditional UPDATE.

        Of two workers that hold the same message one wins, and the other gets
        IllegalTransition. `expect` names further values that the row must still have.
        """
        sources = [source for source, targets in self.TRANSITIONS.items() if to in targets]
        rows: models.QuerySet[Any] = type(self)._base_manager.all()
        row = rows.filter(pk=self.pk, status__in=sources, **(expect or {}))
        if not row.update(status=to, updated=timezone.now(), **fields):
            raise IllegalTransition(f"{type(self).__name__} {self.pk}: {self.status} -> {to}")
        self.refresh_from_db(fields=["status", "updated", *fields])
