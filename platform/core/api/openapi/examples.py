"""OpenAPI examples: recorded request and response per operation.

They stand beside each app's urls, written by `make examples`, and a test records them again and
compares: {"POST /model/": {"status": 201, "body": {...}, "answer": {...}}}.
"""

import functools
import json
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from core.api.openapi.response_types import JsonSchema

JSON = "application/json"


@functools.cache
def recorded() -> Mapping[str, Any]:
    """The examples of all apps, by method and path."""
    files = (settings.BASE_DIR / "apps").glob("*/examples.json")
    return {
        name: example for path in files for name, example in json.loads(path.read_text()).items()
    }


def show_examples(paths: Mapping[str, Any]) -> None:
    """Give each operation of a document its example, where the document has a place for it."""
    for path, verbs in paths.items():
        for verb, operation in verbs.items():
            example = recorded().get(f"{verb.upper()} {path}")
            if example:
                answer = operation["responses"].get(str(example["status"]), {})
                _show(operation.get("requestBody", {}), example.get("body"))
                _show(answer, example.get("answer"))


def _show(place: JsonSchema, example: Any) -> None:
    if example is not None and JSON in place.get("content", {}):
        place["content"][JSON]["example"] = example
