"""OpenAPI error responses per operation, as recorded by the tests.

A table stands beside each app's urls: {"POST /model/": {"409": ["content-exists"]}}. Responses that
any request may get are described once, for all.
"""

import functools
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.conf import settings

from core.api.openapi.response_types import JsonSchema

Refusals = Mapping[str, Mapping[str, list[str]]]

# What any operation may be refused with, by status.
ANY: Mapping[str, tuple[str, ...]] = {
    "400": ("invalid-payload", "request-validation-error"),
    "401": ("no-credentials-provided", "invalid-credentials"),
    "403": ("cross-site-request", "Unauthorized"),
    "404": ("resource-not-found",),
    "405": ("invalid-method",),
    "408": ("request-timeout",),
    "413": ("payload-too-large",),
    "415": ("unsupported-media-type",),
    "429": ("rate-limited",),
    "500": ("internal-error",),
    "503": ("database-unavailable",),
}


@functools.cache
def declared() -> Refusals:
    """The tables of all apps together, by method and path."""
    files = (settings.BASE_DIR / "apps").glob("*/refusals.json")
    tables = [json.loads(path.read_text()) for path in files]
    return {operation: codes for table in tables for operation, codes in table.items()}


# Of a creation that takes an Idempotency-Key.
OF_REPEATS: Mapping[str, tuple[str, ...]] = {
    "409": ("idempotency-in-progress",),
    "422": ("idempotency-key-reused",),
}


def responses(
    method: str, path: str, errors: JsonSchema, *, repeatable: bool
) -> Iterator[tuple[str, Any]]:
    """The OpenAPI responses of an operation's refusals, beside those of any.

    errors     : what an answer of them is
    repeatable : whether it takes an Idempotency-Key
    """
    recorded = declared().get(f"{method.upper()} {path}", {})
    more = OF_REPEATS if repeatable else {}
    for status in sorted({*recorded, *more}):
        codes = [*recorded.get(status, ()), *more.get(status, ())]
        words = ", ".join(f"`{code}`" for code in codes)
        yield status, {"description": f"{words}.", "content": errors["content"], "x-codes": codes}


def words_for_any() -> str:
    """What any request may be refused with, in a sentence."""
    recorded = "; ".join(
        f"{status} {', '.join(f'`{code}`' for code in codes)}" for status, codes in ANY.items()
    )
    return f"Common errors: {recorded}."
