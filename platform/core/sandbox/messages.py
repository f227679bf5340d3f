"""Messages between a sandbox and its child, a line of JSON each."""

from typing import Any, NotRequired, TypedDict

MAX_MESSAGE = 16 * 1024**2  # bytes of a line; a child that writes more is ended


class JobRequest(TypedDict):
    """A job to do: "module:function", its arguments, and the files that it may read and write."""

    job: str
    arguments: dict[str, object]
    reads: NotRequired[list[str]]
    folder: NotRequired[str | None]


class ChildMessage(TypedDict, total=False):
    """A child's message: one of these; `refused` is a code, a title and details."""

    ready: bool
    progress: float
    facts: dict[str, object]
    answer: object
    refused: list[Any]
    failed: str
