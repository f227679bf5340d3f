"""Provenance graph: which resources were derived from which, read from the apps' own columns.

An app that can be traced declares a `Tracing`: its kinds of resources, and its columns that name
others. Each question is one statement a kind or column, however many resources it is about.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from core import uris
from core.auth_user import Person
from core.resources import HasUri

# What a user may read.
Rows = Callable[[Any], QuerySet]
# URIs by their keys, by the name of their kind.
Keys = Mapping[str, Mapping[UUID, str]]


@dataclass(frozen=True)
class Node:
    """A resource in a trace."""

    uri: str
    kind: str
    name: str
    status: str | None
    facts: dict[str, object]


@dataclass(frozen=True)
class Link:
    """`target` came from `source`, or with it: "`source` is the `relation` `target`"."""

    source: str
    target: str
    relation: str


@dataclass(frozen=True)
class TracedKind:
    """Resources that can be traced.

    name  : the column with its name for people; by default `name` where there is one
    facts : further columns of the trace
    """

    of: type[Any]
    name: str = ""
    facts: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, str]:
        """Return the columns that hold `name` and `status`, where they exist."""
        own = {column.name for column in self.of._meta.fields}
        found = {"name": self.name or "name", "status": "status"}
        return {word: name for word, name in found.items() if name == self.name or name in own}


@dataclass(frozen=True)
class Endpoint:
    """One end of a relation: a column that holds keys `of` a kind, or URIs of a kind by its name.

    URIs without a name may be of any kind.
    """

    column: str
    of: type[HasUri] | None = None
    named: str = ""

    def wanted(self, keys: Keys) -> list[Any]:
        """Those of the resources that this column could hold."""
        if self.of:
            return list(keys.get(self.of.KIND, {}))
        chosen = [keys.get(self.named, {})] if self.named else keys.values()
        return [uri for found in chosen for uri in found.values()]

    def uri_of(self, value: Any) -> str:
        """Return the URI of a value of the column."""
        return self.of.uri_of(value) if self.of else value


@dataclass(frozen=True)
class Relation:
    """Rows that link two resources each: those of a kind, or the results of a function."""

    name: str
    rows: type[Any] | Rows
    source: Endpoint
    target: Endpoint


def by_key(kind: type[Any], name: str, column: str, of: type[HasUri]) -> Relation:
    """Relate the resource whose key is in this column of `kind` to its row, as `name`."""
    return Relation(name, kind, source=Endpoint(column, of), target=Endpoint("pk", kind))


def by_uri(kind: type[Any], name: str, column: str, named: str = "") -> Relation:
    """What the URI in this column of `kind` names is the `name` its row."""
    return Relation(name, kind, source=Endpoint(column, named=named), target=Endpoint("pk", kind))


def produced(kind: type[Any], name: str, column: str, named: str) -> Relation:
    """The row of `kind` is the `name` what the URI in this column names."""
    return Relation(name, kind, source=Endpoint("pk", kind), target=Endpoint(column, named=named))


def _visible(kind: type[Any], user: Person) -> QuerySet:
    return kind.objects.visible_to(user)


class ProvenanceSource:
    """An app's part of traces, limited to what the caller may read.

    It is registered through the app's interface and asked these three questions.
    """

    def __init__(
        self,
        *,
        kinds: tuple[TracedKind, ...],
        relations: tuple[Relation, ...],
        readable: Callable[[type[Any], Any], QuerySet] = _visible,
    ):
        self._kinds, self._relations, self._readable = kinds, relations, readable

    def nodes_of(self, *, keys: Keys, user: Person) -> list[Node]:
        """Those of the resources that are this app's and that `user` may read."""
        return [
            _node(kind, found[row["pk"]], row)
            for kind in self._kinds
            if (found := keys.get(kind.of.KIND))
            for row in self._readable(kind.of, user)
            .filter(pk__in=list(found))
            .values("pk", *{*kind.columns.values(), *kind.facts})
        ]

    def origins_of(
        self, *, keys: Keys, user: Person, most: int, only: Collection[str] | None = None
    ) -> list[Link]:
        """The links to these resources; at most `most` of a relation."""
        return [
            link
            for relation in self._asked(only)
            for link in self._links(relation, relation.target, keys, user, most)
        ]

    def results_of(
        self, *, keys: Keys, user: Person, most: int, only: Collection[str] | None = None
    ) -> list[Link]:
        """The links from these resources; at most `most` of a relation."""
        return [
            link
            for relation in self._asked(only)
            for link in self._links(relation, relation.source, keys, user, most)
        ]

    def _asked(self, only: Collection[str] | None) -> list[Relation]:
        return [each for each in self._relations if only is None or each.name in only]

    def _links(
        self, relation: Relation, end: Endpoint, keys: Keys, user: Person, most: int
    ) -> Iterable[Link]:
        wanted = end.wanted(keys)
        if not wanted:
            return
        found = self._rows(relation, user)
        rows = found.filter(**{f"{end.column}__in": wanted})
        columns = (relation.source.column, relation.target.column)
        for source, target in rows.order_by().values_list(*columns)[:most]:
            if source and target:
                yield Link(
                    relation.source.uri_of(source), relation.target.uri_of(target), relation.name
                )

    def _rows(self, relation: Relation, user: Person) -> QuerySet:
        rows = relation.rows
        return self._readable(rows, user) if isinstance(rows, type) else rows(user)


def keys_by_kind(names: Iterable[str]) -> Keys:
    """The resources of ours that these URIs name."""
    keys: dict[str, dict[UUID, str]] = defaultdict(dict)
    for name in names:
        reference = uris.resolve_uri(name)
        if reference and list(reference.kwargs) == ["uuid"]:
            keys[reference.kind][reference.kwargs["uuid"]] = reference.uri
    return keys


def _node(kind: TracedKind, uri: str, row: Mapping[str, Any]) -> Node:
    columns = kind.columns
    return Node(
        uri=uri,
        kind=kind.of.KIND,
        name=str(row[columns["name"]]) if "name" in columns else "",
        status=row[columns["status"]] if "status" in columns else None,
        facts={fact.rpartition("__")[2]: row[fact] for fact in kind.facts},
    )
