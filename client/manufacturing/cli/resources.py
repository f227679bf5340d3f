"""`mp model|slice|order|run`: list, show, fetch."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer

from manufacturing import Client
from manufacturing.cli.kinds import KINDS
from manufacturing.cli.output import AsJson, bar, give, give_one, give_rows
from manufacturing.cli.request_log import Recorder

Which = Annotated[str, typer.Argument(help="Its URI, or its uuid.")]


@contextmanager
def recorded() -> Iterator[tuple[Client, Recorder]]:
    """A client whose requests `mp code` can tell."""
    with Client() as client:
        recorder = Recorder(client)
        try:
            yield client, recorder
        finally:
            recorder.keep()


def commands(name: str) -> typer.Typer:
    """The commands of a kind."""
    kind = KINDS[name]
    group = typer.Typer(no_args_is_help=True, help=f"List, show and fetch: {name}s.")

    @group.command("ls")
    def ls(
        *,
        status: Annotated[str, typer.Option(help="Only these, by commas.")] = "",
        where: Annotated[
            list[str] | None, typer.Option(help="Another filter, as field=value; repeatable.")
        ] = None,
        sort: Annotated[str, typer.Option(help="A field; - turns the order round.")] = "-created",
        limit: Annotated[int, typer.Option(min=1, help="So many at most.")] = 20,
        as_json: AsJson = False,
    ) -> None:
        """List them, the newest first."""
        pairs = dict(each.split("=", 1) for each in where or () if "=" in each)
        if len(pairs) < len(where or ()):
            raise typer.BadParameter("A filter is field=value, each field once.")
        filters = pairs | ({"status": status} if status else {})
        with recorded() as (client, _):
            found = client.list(
                kind.service, kind.path, sort=sort, limit=min(limit, 1000), **filters
            )
            give_rows([*islice(found, limit)], kind.columns, as_json=as_json)

    @group.command("show")
    def show(which: Which, *, as_json: AsJson = False) -> None:
        """Show all of one."""
        with recorded() as (client, _):
            give_one(client.get(kind.uri(client, which)), as_json=as_json)

    @group.command("get")
    def get(
        which: Which,
        output: Annotated[str, typer.Option("--output", "-o", help="Where to.")] = "",
        *,
        as_json: AsJson = False,
    ) -> None:
        """Fetch its file: of a model the part, of a slice or a run gcode, of an order its page."""
        with recorded() as (client, recorder):
            row = client.get(kind.uri(client, which))
            url, ending = kind.file(client, row)
            file = output or Path(row.get("name") or row["uri"].split("/")[-2]).name + ending
            with bar(f"Fetching {file}") as moved:
                if ending == ".html":
                    Path(file).write_bytes(client.transport.request("GET", url).body)
                else:
                    client.download(url, file, progress=moved)
            recorder.fetched(url, file)
            if as_json:
                give({"uri": row["uri"], "file": file})
            else:
                typer.echo(file)

    return group
