"""How resources of all services came from one another: read from their columns, kept nowhere else.

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
from core.uris import build_uri

# What a user may read.
Rows = Callable[[Any], QuerySet]
# URIs by their keys, by the name of the view of their kind.
Keys = Mapping[str, Mapping[UUID, str]]


@dataclass(frozen=True)
class Node:
    """A resource, as far as a trace tells it."""

    uri: str
    kind: str
    name: str
    status: str | None
    facts: dict[str, Any]


@dataclass(frozen=True)
class Link:
    """`target` came from `source`, or with it: "`source` is the `relation` `target`"."""

    source: str
    target: str
    relation: str


@dataclass(frozen=True)
class Kind:
    """Resources that can be traced; `name` and `facts` are columns."""

    service: str
    view: str
    rows: Rows
    name: str = ""
    status: str = "status"
    facts: tuple[str, ...] = ()


@dataclass(frozen=True)
class End:
    """One end of a relation: a column that holds a key, or as `uri` a URI, of a kind.

    A URI without a kind may be of any.
    """

    column: str
    service: str = ""
    view: str = ""
    uri: bool = False

    def wanted(self, keys: Keys) -> list[Any]:
        """Those of the resources that this column could hold."""
        if not self.view:
            return [uri for found in keys.values() for uri in found.values()]
        found = keys.get(self.view, {})
        return list(found.values() if self.uri else found)

    def told(self, value: Any) -> str:
        """The URI that a value of the column stands for."""
        return value if self.uri else build_uri(self.service, self.view, uuid=value)


@dataclass(frozen=True)
class Relation:
    """Rows that link two resources each."""

    name: str
    rows: Rows
    source: End
    target: End


@dataclass(frozen=True)
class Tracing:
    """What an app tells of how things came to be, to whoever may read them."""

    kinds: tuple[Kind, ...]
    relations: tuple[Relation, ...]

    def nodes_of(self, *, keys: Keys, user: Any) -> list[Node]:
        """Those of the resources that are this app's and that `user` may read."""
        return [
            _node(kind, found[row["pk"]], row)
            for kind in self.kinds
            if (found := keys.get(kind.view))
            for row in kind.rows(user)
            .filter(pk__in=list(found))
            .values("pk", *{kind.name, kind.status, *kind.facts} - {""})
        ]

    def origins_of(
        self, *, keys: Keys, user: Any, most: int, only: Collection[str] | None = None
    ) -> list[Link]:
        """The links to these resources; at most `most` of a relation."""
        asked = self._asked(only)
        return [
            link
            for relation in asked
            for link in _links(relation, relation.target, keys, user, most)
        ]

    def results_of(
        self, *, keys: Keys, user: Any, most: int, only: Collection[str] | None = None
    ) -> list[Link]:
        """The links from these resources; at most `most` of a relation."""
        asked = self._asked(only)
        return [
            link
            for relation in asked
            for link in _links(relation, relation.source, keys, user, most)
        ]

    def _asked(self, only: Collection[str] | None) -> list[Relation]:
        return [each for each in self.relations if only is None or each.name in only]


def keys_by_view(names: Iterable[str]) -> Keys:
    """The resources of ours that these URIs name."""
    keys: dict[str, dict[UUID, str]] = defaultdict(dict)
    for name in names:
        reference = uris.resolve_uri(name)
        if reference and list(reference.kwargs) == ["uuid"]:
            keys[reference.view][reference.kwargs["uuid"]] = reference.uri
    return keys


def _node(kind: Kind, uri: str, row: dict[str, Any]) -> Node:
    return Node(
        uri=uri,
        kind=kind.view.removesuffix("-detail"),
        name=str(row[kind.name]) if kind.name else "",
        status=row[kind.status] if kind.status else None,
        facts={fact.rpartition("__")[2]: row[fact] for fact in kind.facts},
    )


def _links(relation: Relation, end: End, keys: Keys, user: Any, most: int) -> Iterable[Link]:
    wanted = end.wanted(keys)
    if not wanted:
        return
    rows = relation.rows(user).filter(**{f"{end.column}__in": wanted})
    columns = (relation.source.column, relation.target.column)
    for source, target in rows.order_by().values_list(*columns)[:most]:
        if source and target:
            yield Link(relation.source.told(source), relation.target.told(target), relation.name)
