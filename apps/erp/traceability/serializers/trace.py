"""Traces as JSON."""

from typing import TypedDict

from apps.erp.traceability.services.trace import Chain, Trace
from core.api.openapi.response_types import FreeJson, Uri
from core.provenance import Node


class NodeAnswer(TypedDict):
    """A resource of the trace, of any service."""

    uri: Uri
    kind: str
    name: str
    status: str | None
    facts: FreeJson


# `from` is the `relation` `to`.
LinkAnswer = TypedDict("LinkAnswer", {"from": Uri, "to": Uri, "relation": str})


class ChainAnswer(TypedDict):
    """A piece's history in short."""

    file: list[Uri]
    settings: list[Uri]
    part: list[Uri]
    run: list[Uri]
    order: list[Uri]
    money: list[Uri]


class TraceAnswer(TypedDict):
    """What a resource came from, and what came of it."""

    uri: Uri
    nodes: list[NodeAnswer]
    links: list[LinkAnswer]
    truncated: bool
    chain: ChainAnswer | None


def trace_resource(trace: Trace) -> TraceAnswer:
    """A trace, as JSON."""
    return {
        "uri": trace.uri,
        "nodes": [_node(node) for node in trace.nodes],
        "links": [
            {"from": link.source, "to": link.target, "relation": link.relation}
            for link in trace.links
        ],
        "truncated": trace.truncated,
        "chain": _chain(trace.chain) if trace.chain else None,
    }


def _node(node: Node) -> NodeAnswer:
    return {
        "uri": node.uri,
        "kind": node.kind,
        "name": node.name,
        "status": node.status,
        "facts": node.facts,
    }


def _chain(chain: Chain) -> ChainAnswer:
    return {
        "file": chain.file,
        "settings": chain.settings,
        "part": chain.part,
        "run": chain.run,
        "order": chain.order,
        "money": chain.money,
    }
