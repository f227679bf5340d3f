"""Request log of the last command, for `mp code`; without the token."""

import json
import shlex
import sys
from keyword import iskeyword
from typing import NotRequired, Required, TypedDict
from urllib.parse import urlsplit

from manufacturing import Client, config
from manufacturing.request_encoding import JsonObject
from manufacturing.transport import HttpResponse

LAST = "last.json"


class Step(TypedDict, total=False):
    """A request, or several equal ones (`again`); `file` is what is uploaded, or written."""

    method: Required[str]
    url: Required[str]
    body: JsonObject | None
    file: str
    again: bool


class Recording(TypedDict):
    """The requests of a command, and the address of the platform."""

    url: str
    command: NotRequired[str]
    steps: list[Step]


class Recorder:
    """Hears what a client asks.

    file : what is uploaded meanwhile
    """

    def __init__(self, client: Client) -> None:
        self.url = client.transport.base.geturl()
        self.steps: list[Step] = []
        self.file = ""
        client.transport.on_response = self.hear

    def hear(self, method: str, url: str, body: bytes | None, answer: HttpResponse) -> None:
        """One call; what is asked again and again is one step, and so are a file's pieces."""
        if (urlsplit(url).hostname or "").startswith("files."):
            step: Step = {"method": "UPLOAD", "url": url, "file": self.file}
        else:
            step = {"method": method, "url": url, "body": json.loads(body) if body else None}
        if self.steps and {**self.steps[-1], "again": False} == {**step, "again": False}:
            self.steps[-1]["again"] = True
        else:
            self.steps.append(step)

    def fetched(self, url: str, file: str) -> None:
        """A download."""
        self.steps.append({"method": "DOWNLOAD", "url": url, "file": file})

    def keep(self) -> None:
        """Write it down for `mp code`."""
        if self.steps:
            told = {"url": self.url, "command": shlex.join(["mp", *sys.argv[1:]])}
            config.write(json.dumps({**told, "steps": self.steps}), LAST)


def as_curl(recording: Recording) -> str:
    """The steps as a shell's; `$MP_TOKEN` is `uuid:secret`."""
    return "\n".join(curl(step) for step in recording["steps"]) + "\n"


def curl(step: Step) -> str:
    """One step."""
    url, file = shlex.quote(step["url"]), shlex.quote(step.get("file", ""))
    if step["method"] == "UPLOAD":
        return f"curl -s -T {file} -H 'Content-Type: application/octet-stream' {url}"
    if step["method"] == "DOWNLOAD":
        return f'curl -s -u "$MP_TOKEN" -o {file} {url}'
    method = f" -X {step['method']}" if step["method"] not in ("GET", "POST") else ""
    sent = ""
    if step["body"] is not None:
        sent = f" -H 'Content-Type: application/json' -d {shlex.quote(json.dumps(step['body']))}"
    note = "  # until it is done" if step.get("again") else ""
    return f'curl -s -u "$MP_TOKEN"{method} {url}{sent}{note}'


def as_python(recording: Recording) -> str:
    """The steps as a program's; the token is that of the environment or of `mp login`."""
    head = f"from manufacturing import Client\n\nclient = Client({recording['url']!r})\n"
    return head + "\n".join(python(step) for step in recording["steps"]) + "\n"


def python(step: Step) -> str:
    """One step."""
    url, method = step["url"], step["method"]
    if method in ("UPLOAD", "DOWNLOAD"):
        return (
            f"client.{'upload_to' if method == 'UPLOAD' else 'download'}({url!r}, {step['file']!r})"
        )
    if method == "GET":
        return f"print(client.{'wait' if step.get('again') else 'get'}({url!r}))"
    call = {"POST": "post", "PUT": "change", "DELETE": "delete"}[method]
    return f"client.{call}({', '.join([repr(url), *arguments(step['body'] or {})])})"


def arguments(fields: JsonObject) -> list[str]:
    """Fields as arguments by name; those whose names are no names at all as a dict."""
    named = {
        name: each for name, each in fields.items() if name.isidentifier() and not iskeyword(name)
    }
    rest = {name: each for name, each in fields.items() if name not in named}
    said = [f"{name}={each!r}" for name, each in named.items()]
    return [*said, f"**{rest!r}"] if rest else said
