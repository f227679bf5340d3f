"""MCP server with eight tools."""

import functools
import inspect
import json
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal, ParamSpec, TypeVar
from urllib.parse import urlsplit

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from manufacturing import Client, ClientError, Refused, Unreachable, __version__
from manufacturing.cli import print_command
from manufacturing.cli.request_log import Recorder, Recording, as_curl, as_python
from manufacturing.request_encoding import Resource, uri_of

Found = Literal["model", "slice", "order", "line-item", "run", "bureau", "material", "printer"]
PLACES = {
    **{"model": "models", "slice": "slicing"},
    **dict.fromkeys(("order", "line-item", "run", "bureau", "material", "printer"), "erp"),
}
READING = ("find", "verdict", "price", "status", "failures", "code")
SPENDING = ("slice", "order")
SHORT = ("uri", "name", "status", "created", "errors")
P = ParamSpec("P")
R = TypeVar("R")
INSTRUCTIONS = """Parts to print, on a manufacturing platform. A resource is named by its URI.
Look with find, status and verdict before anything is made. slice and order are there only where
the person who started this server has allowed them; the first call of each makes nothing, and
says what it would do and a word `go`: show that to the person, and repeat the call with it. A
`go` is valid for one call, once. Where it was used, the call is a dry run again."""


class Tools:
    """The tools of one client; the `go` of a dry run confirms one call, once.

    files : the folder whose files `slice` may upload; none without
    """

    def __init__(self, client: Client, files: Path | None = None) -> None:
        self.client = client
        self.recorder = Recorder(client)
        self.files = files and files.resolve()
        self._confirmed: dict[str, str] = {}  # by `go`: a tool and its arguments, as JSON

    def find(
        self, kind: Found, name: str = "", status: str = "", limit: int = 20
    ) -> list[Resource]:
        """Find resources of a kind, the newest first; `name` is a part of the name."""
        filters: Resource = {"search": {"name": name}} if name else {}
        filters |= {"status": status} if status else {}
        most = max(1, min(limit, 100))
        rows = self.client.list(PLACES[kind], f"/{kind}/", sort="-created", limit=most, **filters)
        return [short(row) for row in islice(rows, most)]

    def verdict(self, model: str) -> Resource:
        """Tell whether a model can be printed: its size, whether it is closed, what is wrong."""
        row = self._read("model", model)
        told = ("volume_mm", "size", "polygons", "analyses.manifold", "analyses", "unit")
        return (
            short(row) | {name: row[name] for name in told} | {"words": print_command.verdict(row)}
        )

    def price(self, of: str, config: str = "") -> Resource:
        """Tell the price of a line item, quote or price table; of a model with a config, what
        slicing it costs, how long it would print, and of how much material. Makes nothing."""
        if config:
            return self._would_slice(of, config)
        row = self.client.get(of)
        told = ("price", "estimates", "amount", "net", "taxes", "gross", "currency", "cells")
        return short(row) | {name: row[name] for name in told if name in row}

    def status(self, uri: str) -> Resource:
        """Tell all of a resource as it stands now."""
        return self.client.get(uri)

    def failures(self, limit: int = 20) -> list[Resource]:
        """List what ended in an error, the newest first, and why."""
        most = max(1, min(limit, 100))
        found: list[Resource] = []
        for kind in ("model", "slice", "line-item", "run"):
            place = PLACES[kind], f"/{kind}/"
            rows = self.client.list(*place, sort="-created", limit=most, status="error")
            found += islice(rows, most)
        found.sort(key=lambda row: str(row["created"]), reverse=True)
        return [short(row) for row in found[:most]]

    def code(self) -> dict[str, str]:
        """Tell what was asked of the platform so far, as curl and as Python."""
        recording: Recording = {"url": self.recorder.url, "steps": self.recorder.steps}
        return {"curl": as_curl(recording), "python": as_python(recording)}

    def slice(
        self, part: str, config: str = "", material: str = "PLA", infill: int = 20, go: str = ""
    ) -> Resource:
        """Slice a part: the URI of a model, or a file of the folder of this server, which is
        uploaded.

        config is the URI of one; without it, one is made of the material and the infill in per
        cent. Call it without `go` first: that makes nothing.
        """
        file = None if part.startswith(("http://", "https://")) else self._file(part)
        call = json.dumps(["slice", part, config, material, infill])
        curated = {"material": material, "infill_density": infill}
        if not self._use(go, call):
            if config and not file:
                would = self._would_slice(part, config)
                if not would.get("accepted", True):
                    return {"dry_run": True, "would": would}
            else:
                would = {"uploads": file and str(file), "makes_config": None if config else curated}
            return self._dry_run(would, call)
        with self._repeatable(go, call):
            if not config:
                fields = {"engine": "slic3r", "parameters": curated}
                made = self._create("slicing", "/config/curated/", f"{go}-config", **fields)
                config = uri_of(made)
            model: Any = part
            if file:
                model = print_command.uploaded(self.client, self.recorder, file, f"{go}-model")
            return self._create("slicing", "/slice/", f"{go}-slice", model=model, config=config)

    def order(
        self, bureau: str, model: str, material: str, config: str, quantity: int, go: str = ""
    ) -> Resource:
        """Order a model of a shop (URIs, all of them). It is estimated and waits to be confirmed
        by a person. Call it without `go` first: that makes nothing."""
        uris = {"bureau": bureau, "model": model, "material": material}
        shop, part, made_of = (self._read(kind, uri) for kind, uri in uris.items())
        setting = self.client.get(config)
        call = json.dumps(["order", bureau, model, material, config, quantity])
        if not self._use(go, call):
            fields = print_command.line_item(shop, part, setting, made_of, quantity)
            self._try("erp", "/line-item/", **fields)
            would = {"shop": shop["name"], "part": part["name"], "material": made_of["name"]}
            would |= {"quantity": quantity, "slicing": self._would_slice(model, config)}
            return self._dry_run(would, call)
        with self._repeatable(go, call):
            return print_command.order(
                self.client, shop, part, setting, made_of, quantity, confirm=False, key=go
            )

    def _read(self, kind: str, uri: str) -> Resource:
        if urlsplit(uri).path.split("/")[1:2] != [kind] or urlsplit(uri).path.count("/") < 2:
            raise ValueError(f"{uri} is not the URI of a {kind}: `find` lists them.")
        return self.client.get(uri)

    def _file(self, part: str) -> Path:
        if self.files is None:
            raise ValueError(
                f"{part} is a file, and no folder of files was named when this server was started "
                "(mp mcp --files FOLDER): name the URI of a model instead."
            )
        file = (self.files / part).resolve()  # symbolic links too
        if not file.is_relative_to(self.files):
            raise ValueError(f"{part} is outside {self.files}: only files of it are uploaded.")
        if not file.is_file():
            raise ValueError(f"There is no file {file}.")
        return file

    def _create(self, service: str, path: str, key: str, **fields: object) -> Resource:
        return self.client.create(service, path, idempotency_key=key, **fields)

    def _try(self, service: str, path: str, **fields: Any) -> Resource:
        url = self.client.transport.url(service, path) + "?dry_run=true"
        preview: Resource = self.client.post(url, **fields).json()
        return preview

    def _would_slice(self, model: str, config: str) -> Resource:
        return self._try("slicing", "/slice/", model=model, config=config)

    def _dry_run(self, would: Resource, call: str) -> Resource:
        go = secrets.token_hex(8)
        self._confirmed[go] = call
        return {"dry_run": True, "would": would, "go": go}

    def _use(self, go: str, call: str) -> bool:
        """Whether `go` confirms this call; it does so once, also for calls at the same time."""
        return self._confirmed.get(go) == call and self._confirmed.pop(go, None) is not None

    @contextmanager
    def _repeatable(self, go: str, call: str) -> Iterator[None]:
        """Keep `go` where no answer came: its idempotency keys make a repeat the same call."""
        try:
            yield
        except Unreachable:
            self._confirmed[go] = call
            raise


def short(row: Resource) -> Resource:
    """What one must know to go on."""
    return {name: row[name] for name in SHORT if name in row}


def with_reasons(tool: Callable[P, R]) -> Callable[P, R]:
    """Return the tool with its failures as errors whose text reaches the language model."""

    @functools.wraps(tool)
    def run(*args: P.args, **fields: P.kwargs) -> R:
        try:
            return tool(*args, **fields)
        except Refused as error:
            details = [each["details"] for each in error.errors if each.get("details")]
            text = f" Details: {json.dumps(details, ensure_ascii=False)}" if details else ""
            raise ToolError(f"{error}{text}") from error
        except (ClientError, OSError, ValueError) as error:
            raise ToolError(str(error) or repr(error)) from error

    return run


def server(client: Client, allowed: set[str], files: Path | None = None) -> MCPServer[Any]:
    """Return the server with the tools that read, and those that were allowed.

    files : the folder whose files may be uploaded
    """
    if unknown := allowed - set(SPENDING):
        raise ValueError(
            f"{', '.join(sorted(unknown))}: only {', '.join(SPENDING)} can be allowed."
        )
    if files and not files.is_dir():
        raise ValueError(f"{files} is not a folder.")
    tools = Tools(client, files)
    made: MCPServer[Any] = MCPServer(
        "manufacturing", version=__version__, instructions=INSTRUCTIONS
    )
    for name in (*READING, *(name for name in SPENDING if name in allowed)):
        tool = getattr(tools, name)
        made.add_tool(with_reasons(tool), description=inspect.getdoc(tool))
    return made


def serve(allowed: set[str], files: Path | None = None) -> None:
    """Serve until the standard input ends."""
    with Client() as client:
        server(client, allowed, files).run("stdio")
