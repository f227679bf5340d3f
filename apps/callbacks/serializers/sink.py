"""Sinks as their owners see them."""

from typing import Any

from rest_framework import serializers

from apps.callbacks.models import Sink, SunkRequest
from core.api.fields import StrictSerializer


class SunkRequestSerializer(serializers.Serializer):
    """A request that a sink was sent."""

    method = serializers.CharField()
    query = serializers.CharField(allow_null=True)
    headers = serializers.DictField(
        child=serializers.CharField(), help_text="Names in small letters; credentials left out."
    )
    body = serializers.CharField(allow_null=True, help_text="Its first 4096 bytes.")
    size = serializers.IntegerField(help_text="Of the whole body, in bytes.")
    received = serializers.DateTimeField()


class SinkSerializer(StrictSerializer):
    """A URL that takes any request, and what came."""

    uri = serializers.CharField(read_only=True)
    url = serializers.CharField(read_only=True, help_text="Use it as the URL of a callback.")
    created = serializers.DateTimeField(read_only=True)
    expires = serializers.DateTimeField(read_only=True)
    requests = SunkRequestSerializer(many=True, read_only=True, help_text="The oldest first.")


def sink_resource(row: Sink) -> dict[str, Any]:
    """A sink and its newest requests."""
    return {
        "uri": row.uri,
        "url": row.url,
        "created": row.created,
        "expires": row.expires,
        "requests": [_request(request) for request in row.requests.all()],
    }


def _request(row: SunkRequest) -> dict[str, Any]:
    return {
        "method": row.method,
        "query": row.query or None,
        "headers": row.headers,
        "body": bytes(row.body).decode(errors="replace") or None,
        "size": row.size,
        "received": row.received,
    }
