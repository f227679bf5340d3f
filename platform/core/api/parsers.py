"""Request parsers: JSON and forms, rejecting NUL and lone surrogates."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any

from django.utils.datastructures import MultiValueDict
from rest_framework import exceptions, parsers
from rest_framework.request import Request
from rest_framework.utils.json import strict_constant

from core.api.fields import whole_fault

# What a text can be written in, by Python's names; a codec such as idna is for something else.
CHARSETS = {"utf-8", "utf-8-sig", "utf-16", "ascii", "iso8859-1", "iso8859-15", "cp1252"}

# PostgreSQL keeps neither, and half of a surrogate pair cannot even be answered.
_UNFIT = re.compile("[\0\ud800-\udfff]")
# How JSON writes them; unescaped they cannot come out of a decoder.
_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_UNFIT_WORDS = "A text here holds a NUL character or half of a surrogate pair: remove it."


class JSONParser(parsers.JSONParser):
    """A JSON object: no resource is written as anything else."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        encoding = (parser_context or {}).get("encoding") or "utf-8"
        try:
            text = stream.read().decode(encoding)
            data = json.loads(text, parse_constant=strict_constant)
        except ValueError as error:
            raise exceptions.ParseError() from error
        if not isinstance(data, dict):
            raise whole_fault("Send an object with the fields.", "not_a_dict")
        if _ESCAPED.search(text):
            require_fit(data)
        return data


class FormParser(parsers.FormParser):
    """Form fields in the URL's encoding."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        return require_fit(super().parse(stream, media_type, parser_context))


class MultiPartParser(parsers.MultiPartParser):
    """Form fields in parts."""

    def parse(self, stream: Any, media_type: Any = None, parser_context: Any = None) -> Any:
        found: Any = super().parse(stream, media_type, parser_context)
        require_fit(found.data)
        return found


def check_text(request: Request) -> None:
    """Reject a body in an unsupported charset, and a query that cannot be stored."""
    charset = (request._request.content_params or {}).get("charset")
    if charset and not _is_known(charset):
        raise exceptions.UnsupportedMediaType(
            charset, f"No text is read here in the charset {charset[:40]!r}: send UTF-8."
        )
    if request._request.META.get("QUERY_STRING"):
        require_fit(request.query_params)


def require_fit(data: Any) -> Any:
    """Return `data` from outside, checked: all its names and texts can be stored.

    Raises ValidationError with the fields that cannot.
    """
    unfit = list(dict.fromkeys(_unfit(data)))
    if unfit:
        detail = exceptions.ErrorDetail(_UNFIT_WORDS, "invalid")
        raise exceptions.ValidationError({name or "non_field_errors": [detail] for name in unfit})
    return data


def _unfit(data: Any) -> Iterator[str]:
    """Yield the dotted names of invalid texts; where a name itself is invalid, its parent's."""
    waiting: list[tuple[str, Any]] = [("", data)]
    while waiting:
        name, value = waiting.pop()
        if isinstance(value, str):
            if _UNFIT.search(value):
                yield name
            continue
        if isinstance(value, MultiValueDict):
            inner: Any = [(key, one) for key, many in value.lists() for one in many]
        elif isinstance(value, dict):
            inner = value.items()
        elif isinstance(value, list):
            inner = enumerate(value)
        else:
            continue
        for key, one in inner:
            if isinstance(key, str) and _UNFIT.search(key):
                yield name
            else:
                waiting.append((f"{name}.{key}" if name else str(key), one))


def _is_known(charset: str) -> bool:
    try:
        return codecs.lookup(charset).name in CHARSETS
    except (LookupError, ValueError):
        return False
