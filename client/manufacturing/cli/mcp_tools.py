"""MCP server with eight tools."""

import hmac
import inspect
import json
import secrets
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from mcp.server import MCPServer

from manufacturing import Client, __version__
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
INSTRUCTIONS = """Parts to print, on a manufacturing platform. A resource is named by its URI.
Look with find, status and verdict before anything is made. slice and order are there only where
the person who started this server has allowed them; the first call of each makes nothing, and
says what it would do and a word `go`: show that to the person, and repeat the call with it."""


class Tools:
    """The tools of one client; `go` of a call is proof that its dry run was seen."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.recorder = Recorder(client)
        self._key = secrets.token_bytes(16)

    def find(
        self, kind: Found, name: str = "", status: str = "", limit: int = 20
    ) -> list[Resource]:
        """Find resources of a kind, the newest first; `name` is a part of the name."""
        asked: Resource = {"search": {"name": name}} if name else {}
        asked |= {"status": status} if status else {}
        most = max(1, min(limit, 100))
        rows = self.client.list(PLACES[kind], f"/{kind}/", sort="-created", limit=most, **asked)
        return [short(row) for row in islice(rows, most)]

    def verdict(self, model: str) -> Resource:
        """Tell whether a model can be printed: its size, whether it is closed, what is wrong."""
        row = self.client.get(model)
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
        """Slice a part: the URI of a model, or a file of this machine, which is uploaded.

        config is the URI of one; without it, one is made of the material and the infill in per
        cent. Call it without `go` first: that makes nothing.
        """
        is_file = not part.startswith(("http://", "https://"))
        if is_file and not Path(part).is_file():
            raise ValueError(f"There is no file {part}.")
        proof = self._proof("slice", part, config, material, infill)
        if not hmac.compare_digest(go, proof):
            known = bool(config) and not is_file
            would: Resource = (
                self._would_slice(part, config)
                if known
                else {
                    "uploads": part if is_file else None,
                    "makes_config": None
                    if config
                    else {"material": material, "infill_density": infill},
                }
            )
            return {"dry_run": True, "would": would, "go": proof}
        model: Any = (
            print_command.uploaded(self.client, self.recorder, Path(part)) if is_file else part
        )
        if not config:
            wanted = {"material": material, "infill_density": infill}
            made = self.client.create(
                "slicing", "/config/curated/", engine="slic3r", parameters=wanted
            )
            config = uri_of(made)
        return self.client.create("slicing", "/slice/", model=model, config=config)

    def order(
        self, bureau: str, model: str, material: str, config: str, quantity: int, go: str = ""
    ) -> Resource:
        """Order a model of a shop (URIs, all of them). It is estimated and waits to be confirmed
        by a person. Call it without `go` first: that makes nothing."""
        proof = self._proof("order", bureau, model, material, config, quantity)
        shop, part, made_of = (self.client.get(uri) for uri in (bureau, model, material))
        if not hmac.compare_digest(go, proof):
            would = {"shop": shop["name"], "part": part["name"], "material": made_of["name"]}
            would |= {"quantity": quantity, "slicing": self._would_slice(model, config)}
            return {"dry_run": True, "would": would, "go": proof}
        setting = self.client.get(config)
        return print_command.order(
            self.client, shop, part, setting, made_of, quantity, confirm=False
        )

    def _would_slice(self, model: str, config: str) -> Resource:
        url = self.client.transport.url("slicing", "/slice/") + "?dry_run=true"
        told: Resource = self.client.post(url, model=model, config=config).json()
        return told

    def _proof(self, *said: Any) -> str:
        return hmac.new(self._key, json.dumps(said).encode(), "sha256").hexdigest()[:12]


def short(row: Resource) -> Resource:
    """What one must know to go on."""
    return {name: row[name] for name in SHORT if name in row}


def server(client: Client, allowed: set[str]) -> MCPServer[Any]:
    """The server with the tools that read, and those that were allowed."""
    if unknown := allowed - set(SPENDING):
        raise ValueError(
            f"{', '.join(sorted(unknown))}: only {', '.join(SPENDING)} can be allowed."
        )
    tools = Tools(client)
    made: MCPServer[Any] = MCPServer(
        "manufacturing", version=__version__, instructions=INSTRUCTIONS
    )
    for name in (*READING, *(name for name in SPENDING if name in allowed)):
        tool = getattr(tools, name)
        made.add_tool(tool, description=inspect.getdoc(tool))
    return made


def serve(allowed: set[str]) -> None:
    """Serve until the standard input ends."""
    with Client() as client:
        server(client, allowed).run("stdio")
