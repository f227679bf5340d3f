"""Output: JSON or TSV for programs, tables for people."""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from manufacturing import Client
from manufacturing.request_encoding import Resource

AsJson = Annotated[bool, typer.Option("--json", help="Results as JSON.")]
Bar = Callable[[float, float], None]  # how much is done, of how much


def say(words: str) -> None:
    """Tell a person something."""
    typer.echo(words, err=True)


def give(result: Any) -> None:
    """Hand out a result as JSON; a line of its own."""
    typer.echo(json.dumps(result, ensure_ascii=False))


def give_rows(rows: Sequence[Resource], columns: Sequence[str], *, as_json: bool) -> None:
    """Hand out a list: JSON, a table on a terminal, or lines with tabs."""
    if as_json:
        give(list(rows))
    elif sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(*columns, box=None, pad_edge=False)
        table.columns[-1].overflow = "fold"
        for row in rows:
            table.add_row(*(plain(row.get(name)) for name in columns))
        Console().print(table)
    else:
        for row in rows:
            typer.echo("\t".join(plain(row.get(name)) for name in columns))


def give_one(row: Resource, *, as_json: bool) -> None:
    """Hand out a resource: JSON, or a line a field."""
    if as_json:
        give(row)
    else:
        width = max(map(len, row), default=0)
        for name, value in row.items():
            typer.echo(f"{name:{width}}  {plain(value)}")


def plain(value: Any) -> str:
    """A value on one line, without what would move the cursor of a terminal."""
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value)
    return "".join(each if each.isprintable() else " " for each in text)


@contextmanager
def bar(words: str) -> Iterator[Bar]:
    """Something that takes a while: a bar on a terminal, a line elsewhere."""
    if not sys.stderr.isatty():
        say(f"{words} ...")
        yield lambda done, size: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(words, total=None)
        yield lambda done, size: progress.update(task, completed=done, total=size)


def awaited(client: Client, row: Resource, words: str) -> Resource:
    """A resource once nothing works on it; raises Failed."""
    with bar(words) as moved:
        while True:
            try:
                return client.wait(row, timeout=1)
            except TimeoutError:
                moved(client.get(row).get("progress") or 0, 1)
