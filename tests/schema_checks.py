"""Holds each answer that a test is given against its host's OpenAPI document.

An answer that does not fit, or a refusal whose code is not declared for its operation, fails the
test that met it. With SEEN=<folder> refusals are written down there instead: `make record-errors`.
"""

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import orjson
from django.conf import settings
from django.test import Client
from jsonschema import Draft202012Validator

from core.api.openapi.error_responses import ANY, OF_REPEATS, declared
from core.api.renderers import Response
from core.api.views import ApiView

SEEN = os.environ.get("SEEN")
JSON = "application/json"


def watch() -> None:
    """Look at every answer of the API from now on."""
    finish = ApiView.finalize_response

    def finalize_response(self, request, response, *arguments, **keys):
        answer = finish(self, request, response, *arguments, **keys)
        if isinstance(answer, Response):
            check(self, request, answer)
        return answer

    ApiView.finalize_response = finalize_response


def check(view: ApiView, request: Any, answer: Any) -> None:
    """Compare an answer with the document of its host."""
    match = getattr(request._request, "resolver_match", None)
    if match is None:
        return  # a view that a test calls by itself
    app = type(view).__module__.split(".")[1]
    verb = "get" if request.method == "HEAD" else request.method.lower()
    path = "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", match.route)
    host = request.get_host().partition(".")[0]
    host = settings.HOST_ALIASES.get(host, host)
    if host not in (*settings.SERVICES, "data"):
        return  # the bare domain has no document
    document = document_of(host)
    if verb not in document["paths"].get(path, {}):
        assert answer.status_code >= 400, f"{verb} {path} is not in the document"
        return
    if answer.status_code >= 400 and answer["Content-Type"] == JSON:
        codes = [error["code"] for error in orjson.loads(answer.content)["errors"]]
        look(app, f"{verb.upper()} {path}", answer.status_code, codes)
    where = f"{verb} {path} {answer.status_code}"
    meta = answer.data.get("meta") if isinstance(answer.data, dict) else None
    assert not (meta or {}).get("errors"), f"{where} leaves out {meta['errors']}"
    faults = list(_faults(document, path, verb, answer))
    assert not faults, f"{where} is not as its document says: {faults}"


def look(app: str, operation: str, status: int, codes: list[str]) -> None:
    """Whether these codes are declared for the operation."""
    known = {*ANY.get(str(status), ()), *OF_REPEATS.get(str(status), ())}
    new = set(codes) - known
    if SEEN:
        with open(Path(SEEN) / f"{os.getpid()}.txt", "a") as file:
            file.writelines(f"{app}\t{operation}\t{status}\t{code}\n" for code in sorted(new))
        return
    new -= set(declared().get(operation, {}).get(str(status), ()))
    assert not new, f"{operation} answers {status} {new}, which is not declared: make record-errors"


# ---------------------------------------------------------------- against the document


@cache
def document_of(host: str) -> dict[str, Any]:
    """A host's document."""
    client = Client(SERVER_NAME=f"{host}.{settings.PARENT_HOST}")
    return orjson.loads(client.get("/openapi.json").content)


def _faults(document: dict[str, Any], path: str, verb: str, answer: Any) -> Iterator[str]:
    responses = document["paths"][path][verb]["responses"]
    status = str(answer.status_code)
    response = responses.get(status) or (answer.status_code >= 400 and responses["default"])
    if not response:
        yield "a status that the document does not have"
        return
    content = response.get("content", {})
    told = answer.content and answer["Content-Type"] == JSON
    if not told or JSON not in content:
        if told or JSON in content:
            yield f"the document says {list(content)}, the answer is {answer.content!r:.80}"
        return
    yield from faults_of(document, content[JSON]["schema"], orjson.loads(answer.content))


def faults_of(document: dict[str, Any], schema: Any, body: Any) -> Iterator[str]:
    """What a body has against a schema of a host's document."""
    title = document["info"]["title"]
    if not _validator(title, orjson.dumps(schema)).is_valid(body):
        whole = {**closed(schema), **_components(title)}
        for error in Draft202012Validator(whole).iter_errors(body):
            yield from told_of(error)


@cache
def _validator(title: str, schema: bytes) -> Any:
    """A validator that shares the components of its host: a copy of them takes 4 MB."""
    absolute = orjson.loads(schema.replace(b'"#/components', b'"urn:host#/components'))
    return jsonschema_rs.Draft202012Validator(closed(absolute), registry=_registry(title))


@cache
def _registry(title: str) -> jsonschema_rs.Registry:
    return jsonschema_rs.Registry([("urn:host", _components(title))])


@cache
def _components(title: str) -> dict[str, Any]:
    schemas = document_of(title.rpartition(" ")[2])["components"]["schemas"]
    return {"components": {"schemas": {name: closed(one) for name, one in schemas.items()}}}


def closed(schema: Any) -> Any:
    """The schema, in which a member that is not declared is a fault."""
    if isinstance(schema, list):
        return [closed(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    shut = {name: closed(inner) for name, inner in schema.items()}
    if isinstance(shut.get("properties"), dict) and shut.get("type") == "object":
        shut.setdefault("additionalProperties", False)
    return shut


def told_of(error: Any) -> Iterator[str]:
    """What is wrong, by its place; of several kinds what each has against it."""
    if error.context:
        for inner in error.context:
            if inner.validator != "type" or inner.schema.get("type") != "null":
                yield from told_of(inner)
    else:
        place = re.sub(r"\[\d+\]", "[]", error.json_path)
        yield f"{place}: {error.message[-200:]}"


# ---------------------------------------------------------------- make record-errors


def write(folder: Path) -> None:
    """Write each app's table anew from what a whole run of the tests has seen."""
    tables: dict[str, dict[str, dict[str, set[str]]]] = {}
    for file in folder.glob("*.txt"):
        for line in file.read_text().splitlines():
            app, operation, status, code = line.split("\t")
            table = tables.setdefault(app, {})
            table.setdefault(operation, {}).setdefault(status, set()).add(code)
    for app, table in tables.items():
        told = {
            operation: {status: sorted(codes) for status, codes in sorted(statuses.items())}
            for operation, statuses in sorted(table.items(), key=lambda one: one[0].split()[::-1])
        }
        path = settings.BASE_DIR / "apps" / app / "refusals.json"
        path.write_text(json.dumps(told, indent=1) + "\n")
