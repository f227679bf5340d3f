"""Code samples: curl and Python."""

import json
from typing import Any

from core.api.docs.document import Field, Operation, Reply

_SAMPLES = {
    "URI": "https://…",
    "time": "2030-01-31T12:00:00Z",
    "date": "2030-01-31",
    "whole number": 1,
    "number": 1.5,
    "true or false": True,
    "object": {},
}


def curl(operation: Operation, base: str) -> str:
    """The command; with TOKEN=key:secret, and UUID and other parts of its path, in the shell."""
    parts = ["curl -s -g"]
    if operation.who:
        parts.append('-u "$TOKEN"')
    if operation.writes:
        parts.append(f"-X {operation.verb}")
    parts.append(f'"{base}{_path(operation, "$" + "{}")}"')
    if operation.bodies:
        parts.append(f"--json '{json.dumps(body_of(operation), ensure_ascii=False)}'")
    return " ".join(parts)


def python(operation: Operation, base: str) -> str:
    """Some lines that need `requests` and nothing else."""
    arguments = [f'{"f" * bool(operation.inputs)}"{base}{_path(operation, "{{{}}}")}"']
    if operation.who:
        arguments.append("auth=(key, secret)")
    if operation.bodies:
        arguments.append(f"json={body_of(operation)!r}")
    call = f"requests.{operation.verb.lower()}({', '.join((*arguments, 'timeout=60'))})"
    made = any("Location" in answer.headers for answer in operation.answers)
    has_body = any(answer.of and answer.status.startswith("2") for answer in operation.answers)
    result = 'answer.headers["Location"]' if made else "answer.json()"
    lines = ["import requests", "", f"answer = {call}", "answer.raise_for_status()"]
    return "\n".join([*lines, f"print({result})"] if made or has_body else lines)


def body_of(operation: Operation) -> dict[str, object]:
    """Return the recorded request body; else samples of the required fields or the first one."""
    if operation.sent is not None:
        return dict(operation.sent)
    fields = operation.bodies[0]
    needed = [field for field in fields if field.required] or list(fields[:1])
    return {field.name: _sample(field) for field in needed}


def _sample(field: Field) -> Any:
    if field.choices:
        return field.choices[0]
    kind = field.kind.partition(" or null")[0]
    return [] if kind.startswith("list") else _SAMPLES.get(kind, "…")


def example_text(answer: Reply) -> str:
    """An example of an answer, as text."""
    return (
        json.dumps(answer.example, indent=1, ensure_ascii=False)
        if answer.example is not None
        else ""
    )


def _path(operation: Operation, placeholder: str) -> str:
    path = operation.path
    for field in operation.inputs:
        name = field.name.upper() if placeholder.startswith("$") else field.name
        path = path.replace(f"{{{field.name}}}", placeholder.format(name))
    return path
