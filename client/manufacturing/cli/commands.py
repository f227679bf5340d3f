"""Commands of `mp` and their exit codes: 0 ok, 1 rejected, 2 usage, 3 failed, 4 unreachable."""

import sys
import webbrowser
from collections import deque
from pathlib import Path
from typing import Annotated, cast
from urllib.parse import urlsplit

import typer

from manufacturing import Client, ClientError, Failed, Unreachable, config, events
from manufacturing.cli import doctor as doctoring
from manufacturing.cli import listen as listening
from manufacturing.cli import login, request_log, resources
from manufacturing.cli.kinds import KINDS, page_of
from manufacturing.cli.output import AsJson, give, say
from manufacturing.cli.print_command import print_part

REFUSED, USAGE, FAILED, UNREACHABLE, STOPPED = 1, 2, 3, 4, 130
app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The manufacturing platform from a shell. Results go to the standard output, words to "
    "the error stream. Exit codes: 0 done, 1 refused, 2 usage, 3 the work failed, 4 unreachable.",
)
for kind in KINDS:
    app.add_typer(resources.commands(kind), name=kind)
app.command("login")(login.login)
app.command("print")(print_part)


def run() -> int:
    """Run the command that was given; its exit code."""
    try:
        app(prog_name="mp")
    except SystemExit as end:
        return int(end.code or 0)
    except Failed as error:
        return complain(error, FAILED)
    except Unreachable as error:
        return complain(error, UNREACHABLE)
    except ClientError as error:
        return complain(error, REFUSED)
    except BrokenPipeError:  # whoever read has read enough
        sys.stderr.close()
        return 0
    except (OSError, ValueError) as error:
        return complain(error, USAGE)
    except KeyboardInterrupt:
        return STOPPED
    return 0


def complain(error: Exception, code: int) -> int:
    """Say what went wrong, in the API's own sentence where it has one."""
    say(f"mp: {error}")
    if getattr(error, "status", 0) == 401:
        say("`mp login` makes you known.")
    return code


@app.command("events")
def show_events(
    types: Annotated[
        list[str] | None, typer.Argument(help="Such as model.* or slice.processed; all without.")
    ] = None,
    *,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as they happen.")] = False,
    after: Annotated[int, typer.Option(help="Only events beyond this position.")] = 0,
    last: Annotated[int, typer.Option(help="So many of those that are over, at most.")] = 20,
    bureau: Annotated[str, typer.Option(help="Those of this bureau: its URI.")] = "",
    as_json: AsJson = False,
) -> None:
    """What has happened to your resources, the oldest first."""
    with Client() as client:
        over = deque(events.past(client.transport, types or (), after, bureau), maxlen=last)
        for event in over:
            tell(event, as_json=as_json)
        if follow:
            position = max((event["position"] for event in over), default=after)
            for event in client.events(*types or (), after=position, bureau=bureau):
                tell(event, as_json=as_json)


def tell(event: dict[str, object], *, as_json: bool) -> None:
    """One event on a line."""
    if as_json:
        give(event)
    else:
        typer.echo(f"{event['position']}\t{event['created']}\t{event['type']}\t{event['uri']}")
    sys.stdout.flush()


@app.command("listen")
def listen(
    url: Annotated[str, typer.Argument(help="Such as http://localhost:9000/hook.")],
    types: Annotated[list[str] | None, typer.Argument(help="Such as model.*; all without.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Bring your events to a server on this machine, signed, as callbacks would be.

    No tunnel, no public address: the events come by the stream, and are sent from here. What they
    are signed with is told first, and kept: it is the same the next time.
    """
    secret = listening.secret()
    say(f"The secret is {secret}\nFrom now on, until Ctrl-C:")
    with Client() as client:
        for event in client.events(*types or ()):
            outcome = listening.deliver(event, url, secret)
            if as_json:
                give({**event, "outcome": outcome})
            else:
                typer.echo(f"{outcome}\t{event['type']}\t{event['uri']}")
            sys.stdout.flush()


@app.command("open")
def open_page(
    uri: Annotated[str, typer.Argument(help="The URI of a resource.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Open the page of a resource in the browser; its address is told, too."""
    with Client() as client:
        page = page_of(client, uri)
    if page is None:
        raise ClientError(f"{urlsplit(uri).path or uri} has no page of its own.")
    if as_json:
        give({"page": page})
    else:
        typer.echo(page)
    webbrowser.open(page)


@app.command("code")
def show_code(
    *,
    curl: Annotated[bool, typer.Option("--curl", help="For a shell alone.")] = False,
    python: Annotated[bool, typer.Option("--python", help="For Python alone.")] = False,
    as_json: AsJson = False,
) -> None:
    """The requests of the last command, as curl and as Python; $MP_TOKEN is your token."""
    recording = cast(request_log.Recording, config.read(request_log.LAST))
    if not recording:
        raise ClientError("No command has asked anything yet.")
    made = {"curl": request_log.as_curl(recording), "python": request_log.as_python(recording)}
    wanted = [name for name, chosen in (("curl", curl), ("python", python)) if chosen] or [*made]
    if as_json:
        give({"command": recording["command"], **{name: made[name] for name in wanted}})
    else:
        typer.echo(f"# {recording['command']}")
        typer.echo("\n".join(made[name] for name in wanted), nl=False)


@app.command("doctor")
def doctor(*, as_json: AsJson = False) -> None:
    """Look whether the platform can be reached, and you are known to it."""
    findings = [*doctoring.findings()]
    if as_json:
        give([finding.told for finding in findings])
    else:
        for finding in findings:
            typer.echo(f"{'ok ' if finding.fine else 'NOT'} {finding.words}")
    raise typer.Exit(max(finding.code for finding in findings))


@app.command("mcp")
def mcp(
    allow: Annotated[
        str, typer.Option(help="What may create or spend, by commas: slice, order.")
    ] = "",
    files: Annotated[
        Path | None, typer.Option(help="The folder whose files may be uploaded; none without.")
    ] = None,
) -> None:
    """Serve eight tools to a language model, on standard input and output (MCP).

    find, verdict, price, status, failures and code only read. slice and order are there where
    --allow names them, and first return what they would do. slice uploads files of the folder
    --files, and of no other.
    """
    try:
        from manufacturing.cli.mcp_tools import serve
    except ModuleNotFoundError as error:
        raise ValueError(f'{error.name} is missing: pip install "manufacturing[mcp]".') from error
    serve({name.strip() for name in allow.split(",") if name.strip()}, files)
