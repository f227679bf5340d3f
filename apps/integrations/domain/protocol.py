"""Requests of the provider protocol (docs/providers.md)."""

from collections.abc import Mapping
from typing import Any, NotRequired, TypedDict

# How large a provider's request, and its report, may be: bytes.
LARGEST_MESSAGE = 1024**2
USER_AGENT = "manufacturing-platform/1"


class JobInputs(TypedDict):
    """The model of a job, and where its file is fetched."""

    model: str
    content: str
    name: str
    type: str


class JobUrl(TypedDict):
    """Where a provider sends something."""

    url: str
    method: str


class Job(TypedDict):
    """The body of a request to a provider; parameters as its service's schema has them.

    account : whose turn it takes; for the built-in providers alone
    """

    account: NotRequired[str]
    operation: str
    inputs: JobInputs
    parameters: dict[str, Any]
    callback: JobUrl
    upload: JobUrl


def job(
    *,
    operation: str,
    model: str,
    content: str,
    name: str,
    type: str,
    parameters: Mapping[str, object],
    report: str,
    upload: str,
) -> Job:
    """The body of a request to a provider.

    operation, model        : URIs of the operation and its input model
    content, report, upload : locations: of the model's file, for reports, for a result file
    name, type              : of the model
    """
    return {
        "operation": operation,
        "inputs": {"model": model, "content": content, "name": name, "type": type},
        "parameters": dict(parameters),
        "callback": {"url": report, "method": "POST"},
        "upload": {"url": upload, "method": "PUT"},
    }
