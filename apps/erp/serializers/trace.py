"""Traces as JSON."""

from dataclasses import asdict
from typing import Any

from rest_framework import serializers

from apps.erp.services.trace import Trace


class NodeSerializer(serializers.Serializer):
    """A resource of the trace, of any service."""

    uri = serializers.CharField()
    kind = serializers.CharField()
    name = serializers.CharField()
    status = serializers.CharField(allow_null=True)
    facts = serializers.DictField()


class LinkSerializer(serializers.Serializer):
    """`from` is the `relation` `to`."""

    to = serializers.CharField()
    relation = serializers.CharField()

    def get_fields(self) -> dict[str, Any]:
        return {"from": serializers.CharField(), **super().get_fields()}


class ChainSerializer(serializers.Serializer):
    """A piece's history in short: URIs."""

    file = serializers.ListField(child=serializers.CharField())
    settings = serializers.ListField(child=serializers.CharField())
    part = serializers.ListField(child=serializers.CharField())
    run = serializers.ListField(child=serializers.CharField())
    order = serializers.ListField(child=serializers.CharField())
    money = serializers.ListField(child=serializers.CharField())


class TraceSerializer(serializers.Serializer):
    """What a resource came from, and what came of it."""

    uri = serializers.CharField()
    nodes = NodeSerializer(many=True)
    links = LinkSerializer(many=True)
    truncated = serializers.BooleanField()
    chain = ChainSerializer(allow_null=True)


def trace_resource(trace: Trace) -> dict[str, Any]:
    """A trace, as JSON."""
    return {
        "uri": trace.uri,
        "nodes": [asdict(node) for node in trace.nodes],
        "links": [
            {"from": link.source, "to": link.target, "relation": link.relation}
            for link in trace.links
        ],
        "truncated": trace.truncated,
        "chain": asdict(trace.chain) if trace.chain else None,
    }
