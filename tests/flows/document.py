"""A host's OpenAPI document, and what an answer has against it."""

import json
import re
from collections.abc import Iterator
from typing import Any

from tests.schema_checks import faults_of


class Document:
    """A host's document: which operation a request is, and what its answer must be."""

    def __init__(self, host: str, content: bytes):
        self.host, self.content = host, json.loads(content)
        self.paths = {
            re.compile(re.sub(r"\{\w+\}", "[^/]+", path) + r"\Z"): path
            for path in sorted(self.content["paths"], key=lambda path: "{" in path)
        }

    def template(self, path: str) -> str | None:
        return next((path_ for known, path_ in self.paths.items() if known.match(path)), None)

    def faults(self, method: str, path: str, status: int, body: Any) -> Iterator[str]:
        """What the answer has against the document."""
        template = self.template(path.partition("?")[0])
        if template is None or method not in self.content["paths"][template]:
            yield f"{self.host} {method} {path}: not in the document"
            return
        responses = self.content["paths"][template][method]["responses"]
        response = responses.get(str(status)) or (status >= 400 and responses["default"])
        where = f"{self.host} {method} {template} {status}"
        if not response:
            yield f"{where}: a status that the document does not have"
            return
        content = response.get("content", {})
        if body is None or "application/json" not in content:
            if body is not None or "application/json" in content:
                yield f"{where}: the document says {list(content)}, the answer is {body!r:.80}"
            return
        schema = content["application/json"]["schema"]
        yield from (f"{where}: {words}" for words in faults_of(self.content, schema, body))
