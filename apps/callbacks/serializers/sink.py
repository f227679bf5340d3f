"""Serializers: sinks."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.callbacks.models import Sink, SunkRequest
from core.api.openapi.response_types import Uri


class SunkRequestAnswer(TypedDict):
    """A request that a sink was sent."""

    method: str
    query: str | None
    headers: Annotated[
        dict[str, str], "Request headers with lower-case names, without credentials."
    ]
    body: Annotated[str | None, "First 4096 bytes of the body."]
    size: Annotated[int, "Size of the whole body, bytes."]
    received: datetime


class SinkAnswer(TypedDict):
    """A URL that takes any request, and what came."""

    uri: Uri
    url: Annotated[Uri, "URL to use as the receiver of a callback or subscription."]
    created: datetime
    expires: datetime
    requests: Annotated[list[SunkRequestAnswer], "Received requests, oldest first."]


def sink_resource(row: Sink) -> SinkAnswer:
    """A sink and its newest requests."""
    return {
        "uri": row.uri,
        "url": row.url,
        "created": row.created,
        "expires": row.expires,
        "requests": [_request(request) for request in row.requests.all()],
    }


def _request(row: SunkRequest) -> SunkRequestAnswer:
    return {
        "method": row.method,
        "query": row.query or None,
        "headers": row.headers,
        "body": bytes(row.body).decode(errors="replace") or None,
        "size": row.size,
        "received": row.received,
    }
