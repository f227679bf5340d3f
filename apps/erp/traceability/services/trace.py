"""Traceability: upstream and downstream resources across services."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from apps.erp.orders.models.orders import LineItem, Quote
from apps.erp.orders.services.price_lists import sees_prices
from apps.erp.traceability.domain.provenance import TRACING
from apps.integrations import interface as integrations
from apps.payment import interface as payment
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import NotFound
from core.provenance import Link, Node, ProvenanceSource, keys_by_kind

MAX_NODES = 5000

_APPS: tuple[ProvenanceSource, ...] = (
    TRACING,
    warehouse.TRACING,
    slicing.TRACING,
    integrations.TRACING,
    payment.TRACING,
)

# Between a run and its pieces one goes to and fro: a piece belongs to an order before its run
# makes it.
_RUN = "run-of"
# Returned with whatever is found: what it is part of, was made with, and cost. So a piece tells the
# printer and the gcode of its run, but neither the other pieces of that run nor their orders.
_BELONGS_TO = frozenset(
    {
        "config-of",
        "estimate-of",
        "library-of",
        "line-item-of",
        "lot-of",
        "material-of",
        "model-of",
        "order-of",
        "post-processor-of",
        "printer-of",
        "printer-type-of",
        "product-of",
        "service-of",
        "shipping-of",
        "workflow-of",
        _RUN,
    }
)
_CAME_ALONG = frozenset(
    {"charged-as", "corrected-by", "invoiced-on", "packed-as", "printed-from", "sliced-as"}
)


_AMOUNTS = {"amount", "gross", "net"}
_SEEN_BY = ("bureau_id", "creator_id")  # of a row with amounts


class Way(Enum):
    """How a resource was reached, which says where one goes on from it."""

    UP = auto()  # towards what it came from
    DOWN = auto()  # towards what came of it
    BESIDE = auto()  # neither: only what belongs to it


@dataclass(frozen=True)
class Chain:
    """A piece's history in short: URIs."""

    file: list[str]
    settings: list[str]
    part: list[str]
    run: list[str]
    order: list[str]
    money: list[str]


@dataclass
class Trace:
    """What was found; `truncated` where there is more, `chain` of a piece."""

    uri: str
    nodes: list[Node]
    links: list[Link]
    truncated: bool
    chain: Chain | None


def trace(*, uri: str, user: Person) -> Trace:
    """Everything that the resource with this URI came from, and that came of it.

    Only what `user` may read is found, or led through. Raises NotFound where that is not even the
    resource itself.
    """
    keys = keys_by_kind([uri])
    walk = _Walk(user)
    start = [name for found in keys.values() for name in found.values()]
    walk.go({Way.UP: set(start), Way.DOWN: set(start)})
    if not walk.nodes:
        raise NotFound(f"{uri} is nothing that can be traced, or nothing that you may read.")
    links = [link for link in walk.links if {link.source, link.target} <= walk.nodes.keys()]
    first = walk.nodes[start[0]]
    return Trace(
        uri=first.uri,
        nodes=_visible(walk.nodes, user),
        links=links,
        truncated=walk.truncated,
        chain=_chain(first, walk.nodes.values(), links) if first.kind == "piece" else None,
    )


def _visible(nodes: dict[str, Node], user: Person) -> list[Node]:
    """The nodes, with null for each amount that `user` may not see."""
    keys = keys_by_kind(nodes)
    hidden: set[str] = set()
    for kind in (LineItem, Quote):
        rows = kind.objects.filter(pk__in=list(keys.get(kind.KIND, {})))
        hidden |= {row.uri for row in rows.only(*_SEEN_BY) if not sees_prices(user, row)}
    return [
        replace(node, facts=node.facts | dict.fromkeys(node.facts.keys() & _AMOUNTS))
        if node.uri in hidden
        else node
        for node in nodes.values()
    ]


Frontier = dict[Way, set[str]]


@dataclass
class _Walk:
    """A breadth-first walk, level by level: the same few statements for all of a level."""

    user: Person
    nodes: dict[str, Node] = field(default_factory=dict)
    links: dict[Link, None] = field(default_factory=dict)
    truncated: bool = False
    seen: set[tuple[str, Way]] = field(default_factory=set)

    def go(self, frontier: Frontier) -> None:
        while any(frontier.values()) and not self.truncated:
            self.seen |= {(uri, way) for way, found in frontier.items() for uri in found}
            reached = set().union(*frontier.values())
            self._read(reached - self.nodes.keys())
            frontier = self._next(
                {way: found & self.nodes.keys() for way, found in frontier.items()}
            )

    def _read(self, found: set[str]) -> None:
        """Keep those that the user may read."""
        keys = keys_by_kind(found)
        for app in _APPS:
            for node in app.nodes_of(keys=keys, user=self.user):
                if len(self.nodes) >= MAX_NODES:
                    self.truncated = True
                    return
                self.nodes[node.uri] = node

    def _next(self, frontier: Frontier) -> Frontier:
        found: Frontier = defaultdict(set)
        up, down, beside = (frontier.get(way, set()) for way in Way)
        for link in self._origins(up):
            found[Way.BESIDE if link.relation == _RUN else Way.UP].add(link.source)
        for link in self._origins((down | beside) - up, only=_BELONGS_TO):
            found[Way.BESIDE].add(link.source)
        for link in self._results(down):
            found[Way.DOWN].add(link.target)
        for link in self._results(up, only={_RUN}):
            found[Way.UP].add(link.target)
        for link in self._results((up | beside) - down, only=_CAME_ALONG):
            found[Way.BESIDE].add(link.target)
        return {way: self._unseen(uris, way) for way, uris in found.items()}

    def _unseen(self, uris: set[str], way: Way) -> set[str]:
        # Whatever goes up or down has returned all that goes beside.
        ways = tuple(Way) if way is Way.BESIDE else (way,)
        return {uri for uri in uris if not any((uri, each) in self.seen for each in ways)}

    def _origins(self, found: set[str], only: Collection[str] | None = None) -> Iterable[Link]:
        keys = keys_by_kind(found)
        return self._kept(
            link
            for app in _APPS
            for link in app.origins_of(keys=keys, user=self.user, most=MAX_NODES, only=only)
        )

    def _results(self, found: set[str], only: Collection[str] | None = None) -> Iterable[Link]:
        keys = keys_by_kind(found)
        return self._kept(
            link
            for app in _APPS
            for link in app.results_of(keys=keys, user=self.user, most=MAX_NODES, only=only)
        )

    def _kept(self, links: Iterable[Link]) -> list[Link]:
        found = list(links)
        self.links |= dict.fromkeys(found)
        return found


def _chain(piece: Node, nodes: Iterable[Node], links: list[Link]) -> Chain:
    """The piece's history, read from what was found."""

    def origins(of: Collection[str], relation: str) -> list[str]:
        found = [each.source for each in links if each.relation == relation and each.target in of]
        return list(dict.fromkeys(found))

    runs = origins([piece.uri], _RUN)
    line_items = origins([piece.uri], "line-item-of")
    return Chain(
        file=origins([piece.uri], "model-of"),
        settings=origins(runs, "config-of") or origins([piece.uri], "config-of"),
        part=[piece.uri],
        run=runs,
        order=origins(line_items, "order-of"),
        money=[node.uri for node in nodes if node.kind in ("charge", "invoice")],
    )
