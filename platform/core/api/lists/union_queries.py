"""List queries over several indexed branches (UNION ALL with LIMIT for each), and counts."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Self

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import Model, Q, QuerySet


class Sql(NamedTuple):
    """A piece of a statement, and the values of its placeholders."""

    text: str
    values: tuple[Any, ...] = ()

    def __and__(self, other: "Sql") -> "Sql":
        return Sql(f"{self.text} AND {other.text}", (*self.values, *other.values))


@dataclass(frozen=True)
class UnionQuery:
    """The part of a queryset that a list needs, read from disjoint branches.

    Each row is in exactly one branch: in one bureau, or one's own or shared with one. The rows of
    each branch are read in the order of an index, as far as the page needs, and then merged: with
    one condition for all, the database would sort all of them, or scan other accounts' rows.

    rows     : all of them, neither ordered nor sliced
    branches : a condition each
    """

    rows: QuerySet
    branches: tuple[Sql, ...]
    conditions: Q = Q()
    order: tuple[str, ...] = ("-uuid",)
    start: int = 0
    stop: int | None = None

    @property
    def model(self) -> type[Model]:
        return self.rows.model

    def filter(self, condition: Q | None = None, **lookups: Any) -> Self:
        return replace(self, conditions=self.conditions & (condition or Q()) & Q(**lookups))

    def order_by(self, *names: str) -> Self:
        return replace(self, order=names or ("-uuid",))

    def __getitem__(self, cut: slice) -> Self:
        return replace(self, start=cut.start or 0, stop=cut.stop)

    def __iter__(self) -> Iterator[Any]:
        try:
            return iter(self.read(self._keys()))
        except EmptyResultSet:  # conditions that contradict each other
            return iter(())

    def count(self) -> int:
        """Return the number of rows, at most `stop`."""
        try:
            return ask(self.counting())[0][0]
        except EmptyResultSet:
            return 0

    def counting(self) -> Sql:
        """Return the statement that counts the rows, up to `stop`.

        Raises EmptyResultSet where conditions contradict each other.
        """
        key = self.column("uuid") if self.rows.query.distinct else "1"
        union = self._union(key, self.found(), f"LIMIT {self.most}")
        # Later branches are read only where those before are not enough.
        rows = f"SELECT 1 FROM ({union.text}) AS found LIMIT {self.most}"  # noqa: S608
        return Sql(f"SELECT count(*) FROM ({rows}) AS counted", union.values)  # noqa: S608

    def estimate(self) -> int:
        """Return the number of rows that the planner expects."""
        kept = self.kept(self.conditions)
        union = self._union("1", [kept & branch for branch in self.branches])
        plan = ask(Sql(f"EXPLAIN {union.text}", union.values))
        return int(plan[0][0].partition(" rows=")[2].partition(" ")[0])

    def found(self) -> list[Sql]:
        """The rows of each branch: what follows FROM."""
        kept = self.kept(self.conditions)
        return [kept & branch for branch in self.branches]

    def read(self, keys: Sql) -> list[Any]:
        """The rows of a SELECT of their keys, in its order."""
        wanted = [key for (key,) in ask(keys)]
        rows = self.rows.in_bulk(wanted)
        return [rows[key] for key in wanted if key in rows]

    def kept(self, conditions: Q) -> Sql:
        """The rows that fulfil these conditions: what follows FROM.

        Raises EmptyResultSet where they contradict each other.
        """
        rows = self.rows.filter(conditions)
        condition, values = where(rows)
        tables, more = _compiler(rows).get_from_clause()
        return Sql(f"{' '.join(tables)} WHERE {condition}", (*more, *values))

    def column(self, name: str) -> str:
        """A column's name in a statement."""
        field: Any = self.model._meta.get_field(name)
        return f'"{self.model._meta.db_table}"."{field.column}"'

    @property
    def ordered(self) -> str:
        """Return the ORDER BY of a statement whose columns are named like the fields."""
        return ", ".join(f'"{n[1:]}" DESC' if n.startswith("-") else f'"{n}"' for n in self.order)

    @property
    def most(self) -> str:
        """`stop` as a LIMIT has it."""
        return "NULL" if self.stop is None else str(self.stop)

    def _keys(self) -> Sql:
        """A SELECT of the page's keys, in their order."""
        names = dict.fromkeys(("uuid", *(name.lstrip("-") for name in self.order)))
        columns = ", ".join(f'{self.column(name)} AS "{name}"' for name in names)
        order = f"ORDER BY {self.ordered}"
        union = self._union(columns, self.found(), f"{order} LIMIT {self.most}")
        return Sql(
            f'SELECT "uuid" FROM ({union.text}) AS merged {order}'  # noqa: S608
            f" LIMIT {self.most}::bigint - {self.start} OFFSET {self.start}",
            union.values,
        )

    def _union(self, columns: str, found: list[Sql], end: str = "") -> Sql:
        select = f"SELECT {'DISTINCT ' * self.rows.query.distinct}{columns} FROM"
        text = " UNION ALL ".join(f"({select} {branch.text} {end})" for branch in found)
        return Sql(text, tuple(value for branch in found for value in branch.values))


def count_all(lists: Sequence[QuerySet | UnionQuery]) -> list[int]:
    """Return the lengths of lists, sliced or not, by one statement."""
    counts = [_counting(rows) for rows in lists]
    text = ", ".join(f"({each.text})" for each in counts)
    (row,) = ask(Sql(f"SELECT {text}", tuple(value for each in counts for value in each.values)))
    return list(row)


def count_groups(rows: QuerySet, lookup: str, limit: int) -> dict[str | None, int]:
    """Return how many of `limit` rows, in no order, have each value of a column."""
    try:
        # The key keeps equal values of rows that are distinct.
        values = compiled(rows.order_by().values("pk", lookup)[:limit])
    except EmptyResultSet:  # conditions that contradict each other
        return {}
    text = f"SELECT value, count(*) FROM ({values.text}) AS rows (key, value) GROUP BY value"  # noqa: S608
    return dict(ask(Sql(text, values.values)))


def _counting(rows: QuerySet | UnionQuery) -> Sql:
    """The statement that counts a list."""
    try:
        if isinstance(rows, UnionQuery):
            return rows.counting()
        keys = compiled(rows.values("pk"))
    except EmptyResultSet:
        return Sql("SELECT 0")
    return Sql(f"SELECT count(*) FROM ({keys.text}) AS counted", keys.values)  # noqa: S608


def where(rows: QuerySet) -> Sql:
    """The conditions of a queryset."""
    text, values = _compiler(rows).compile(rows.query.where)
    return Sql(f"({text})", tuple(values))


def compiled(rows: QuerySet) -> Sql:
    """The statement of a queryset."""
    return Sql(*rows.query.sql_with_params())


def _compiler(rows: QuerySet) -> Any:
    return rows.query.get_compiler(connection=connection)


def ask(statement: Sql) -> list[Any]:
    """Execute a statement, planned for its values: their selectivity varies by account."""
    with connection.cursor() as cursor:
        # Written into the text, since the plan of a prepared statement serves all values.
        composed = connection.ops.compose_sql(*statement)  # type: ignore[attr-defined]
        cursor.execute(composed)
        return cursor.fetchall()
