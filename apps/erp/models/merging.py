"""Lists over several bureaus, as quick as those of one."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet


@dataclass(frozen=True)
class Merged:
    """As much of a queryset as a list asks for: the rows of several bureaus.

    Those of each bureau are read in their order, which an index has, as far as the page goes, and
    then merged: asked for by one IN, the database would sort all of them, or walk through
    everybody's.
    """

    rows: QuerySet
    bureaus: tuple[UUID, ...]
    order: tuple[str, ...] = ()
    start: int = 0
    stop: int | None = None

    @property
    def model(self) -> type[Model]:
        return self.rows.model

    def filter(self, condition: Q) -> "Merged":
        return replace(self, rows=self.rows.filter(condition))

    def order_by(self, *names: str) -> "Merged":
        return replace(self, order=names)

    def __getitem__(self, cut: slice) -> "Merged":
        return replace(self, start=cut.start or 0, stop=cut.stop)

    def __iter__(self) -> Iterator[Any]:
        keys = [key for key, *_ in self._keys()]
        found = self.rows.in_bulk(keys)
        return iter([found[key] for key in keys])

    def count(self) -> int:
        """How many there are, and at most `stop`."""
        return self.rows[: self.stop].count()

    def explain(self, *, format: str) -> str:
        """The plan of reading all of them."""
        return self.rows.explain(format=format)

    def _keys(self) -> QuerySet:
        """The keys of the page's rows, in their order, each with what it is ordered by."""
        columns = dict.fromkeys(("uuid", *(name.lstrip("-") for name in self.order)))
        first, *others = (
            self.rows.filter(bureau=key).order_by(*self.order).values_list(*columns)[: self.stop]
            for key in self.bureaus
        )
        return first.union(*others, all=True).order_by(*self.order)[self.start : self.stop]
