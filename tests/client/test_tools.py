"""The MCP server: what it offers, and that what makes something is first a dry run."""

import asyncio
import json
import logging
from pathlib import Path
from threading import Barrier, Thread

import pytest
from mcp import Client as McpClient

from manufacturing import ClientError
from manufacturing.cli import print_command
from manufacturing.cli.mcp_tools import Tools, server
from manufacturing.transport import TRIES
from tests.client.conftest import answer, cut

REJECTION = {
    "code": "constraint-violation",
    "title": "The extruder temperature is 240, above 200.",
    "field": "config",
    "details": {"parameter": "extruder_temperature", "actual": 240},
}


def names(made) -> set[str]:
    return {tool.name for tool in asyncio.run(made.list_tools())}


def test_mcp_server_offers_write_tools_only_when_allowed(client):
    reading = {"find", "verdict", "price", "status", "failures", "code"}

    assert names(server(client, set())) == reading
    assert names(server(client, {"slice", "order"})) == reading | {"slice", "order"}
    with pytest.raises(ValueError, match="drop: only slice, order can be allowed"):
        server(client, {"drop"})


def test_every_mcp_tool_has_a_description(client):
    tools = asyncio.run(server(client, {"slice", "order"}).list_tools())

    assert all(tool.description.endswith(".") for tool in tools)


def test_slice_tool_requires_a_dry_run_first(wire, client):
    wire.replies = [answer(200, b'{"accepted": true}'), answer(201, b'{"uri": "s"}')]
    tools = Tools(client)

    first = tools.slice("http://m/1/", "http://c/1/")
    made = tools.slice("http://m/1/", "http://c/1/", go=first["go"])

    assert (first["dry_run"], first["would"], made) == (True, {"accepted": True}, {"uri": "s"})
    assert paths(wire) == ["/slice/?dry_run=true", "/slice/"]


def test_confirmation_of_one_dry_run_is_not_valid_for_another_call(wire, client):
    wire.replies = [answer(200, b'{"accepted": true}')]
    tools = Tools(client)
    go = tools.slice("http://m/1/", "http://c/1/")["go"]

    other = tools.slice("http://m/2/", "http://c/1/", go=go)
    restarted = Tools(client).slice("http://m/1/", "http://c/1/", go=go)

    assert (other["dry_run"], restarted["dry_run"]) == (True, True)
    assert set(paths(wire)) == {"/slice/?dry_run=true"}


def test_confirmation_is_valid_once(wire, client):
    wire.replies = [answer(200, b'{"accepted": true}'), answer(201, b'{"uri": "s"}')]
    wire.replies.append(wire.replies[0])
    tools = Tools(client)
    go = tools.slice("http://m/1/", "http://c/1/")["go"]

    first, second = (tools.slice("http://m/1/", "http://c/1/", go=go) for _ in range(2))

    assert (first, second["dry_run"]) == ({"uri": "s"}, True)
    assert second["go"] != go
    assert len(keys_of(wire, "/slice/")) == 1


def test_confirmation_used_by_two_calls_at_once_is_valid_for_one(wire, client):
    wire.replies = [answer(200, b'{"accepted": true}')]
    tools = Tools(client)
    go = tools.slice("http://m/1/", "http://c/1/")["go"]
    both = Barrier(8)

    def call() -> None:
        both.wait()
        tools.slice("http://m/1/", "http://c/1/", go=go)

    threads = [Thread(target=call) for _ in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]

    assert len(keys_of(wire, "/slice/")) == 1


def test_confirmed_call_without_an_answer_is_repeated_under_the_same_idempotency_key(wire, client):
    wire.replies = [answer(200, b'{"accepted": true}'), *TRIES * [cut()], answer(201, b"{}")]
    tools = Tools(client)
    go = tools.slice("http://m/1/", "http://c/1/")["go"]

    with pytest.raises(ClientError):
        tools.slice("http://m/1/", "http://c/1/", go=go)
    tools.slice("http://m/1/", "http://c/1/", go=go)

    assert keys_of(wire, "/slice/") == (TRIES + 1) * [f"{go}-slice"]


def test_rejected_dry_run_offers_no_confirmation(wire, client):
    refused = {"accepted": False, "refusals": [REJECTION]}
    wire.replies = [answer(200, json.dumps(refused).encode())]

    assert Tools(client).slice("http://m/1/", "http://c/1/") == {"dry_run": True, "would": refused}


def test_dry_run_of_slice_tool_uploads_no_file(wire, client, tmp_path):
    (tmp_path / "part.stl").write_bytes(b"solid")
    tools = Tools(client, tmp_path)

    preview = tools.slice("part.stl", material="ABS", infill=30)

    config = {"material": "ABS", "infill_density": 30}
    assert preview["would"] == {"uploads": str(tmp_path / "part.stl"), "makes_config": config}
    assert paths(wire) == []


def test_slice_tool_uploads_files_of_its_folder_only(wire, client, tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    secret = tmp_path / "secret.stl"
    secret.write_bytes(b"solid")
    (folder / "link.stl").symlink_to(secret)
    tools = Tools(client, folder)

    for part in (str(secret), "../secret.stl", "link.stl", "/etc/passwd", "~/.ssh/id_rsa"):
        with pytest.raises(ValueError, match=r"is outside|There is no file"):
            tools.slice(part)
    with pytest.raises(ValueError, match="no folder of files was named"):
        Tools(client).slice(str(secret))

    assert paths(wire) == []


def paths(wire) -> list[str]:
    """The paths of the requests so far."""
    return [path for _, path, _, _ in wire.asked]


def keys_of(wire, path: str) -> list[str]:
    """The idempotency keys of the requests of a path."""
    return [headers["Idempotency-Key"] for _, at, headers, _ in wire.asked if at == path]


def order_of(client) -> dict[str, object]:
    uri = client.transport.url
    return {
        "bureau": uri("erp", "/bureau/1/"),
        "model": uri("models", "/model/1/"),
        "material": uri("erp", "/material/1/"),
        "config": uri("slicing", "/config/1/"),
        "quantity": 2,
    }


def platform(refused: str = "", estimated: str = "pending"):
    """Replies of a platform that rejects one request, and the resources it holds."""
    held: set[str] = set()

    def reply(handler, body):
        path, host = handler.path, handler.headers["Host"]
        resource = {"uri": f"http://{host}{path}", "name": "part", "created": "now"}
        status = 200
        if f"{handler.command} {path}" == refused:
            status, resource = 409, {"errors": [REJECTION]}
        elif handler.command == "POST" and path in ("/order/", "/line-item/"):
            status = 201
            resource["uri"] = f"http://{host}{path}7/"
            held.add(f"{path}7/")
        elif handler.command == "DELETE":
            status = 204
            held.discard(path)
        elif path.startswith("/events/"):
            status = 429
        elif handler.command == "GET" and path == "/line-item/7/":
            errors = [REJECTION] if estimated == "error" else None
            resource |= {"status": estimated, "price": None, "errors": errors}
        answer(status, json.dumps(resource).encode() if status != 204 else b"")(handler, body)

    return reply, held


def test_order_tool_rejects_in_its_dry_run_what_the_platform_would_reject(wire, client):
    wire.replies = [platform(refused="POST /line-item/?dry_run=true")[0]]

    with pytest.raises(ClientError, match="above 200"):
        Tools(client).order(**order_of(client))

    (_, path, _, body) = wire.asked[-1]
    fields = order_of(client)
    assert path == "/line-item/?dry_run=true"
    assert json.loads(body) == {
        **{name: fields[name] for name in ("bureau", "model", "config", "quantity")},
        "materials": {"base": fields["material"]},
    }


@pytest.mark.parametrize(
    ("refused", "estimated"),
    [("POST /line-item/", "pending"), ("POST /order/", "pending"), ("", "error")],
)
def test_failed_order_leaves_nothing_behind(wire, client, refused, estimated):
    reply, held = platform(refused, estimated)
    wire.replies = [reply]
    tools, fields = Tools(client), order_of(client)
    go = tools.order(**fields)["go"]

    with pytest.raises(ClientError, match="above 200"):
        tools.order(**fields, go=go)

    assert held == set()


def test_order_tool_creates_one_order_under_keys_of_its_confirmation(wire, client):
    reply, held = platform()
    wire.replies = [reply]
    tools, fields = Tools(client), order_of(client)
    go = tools.order(**fields)["go"]

    made = tools.order(**fields, go=go)
    again = tools.order(**fields, go=go)

    assert (keys_of(wire, "/order/"), again["dry_run"]) == ([f"{go}-order"], True)
    assert made["order"].endswith("/order/7/")
    assert held == {"/order/7/", "/line-item/7/"}


def test_print_command_withdraws_an_order_that_cannot_be_confirmed(wire, client):
    reply, held = platform(refused="PUT /line-item/7/")
    wire.replies = [reply]
    uris = order_of(client)
    parts = [
        {"uri": uris[name], "name": name, "created": "now"}
        for name in ("bureau", "model", "config", "material")
    ]

    with pytest.raises(ClientError, match="above 200"):
        print_command.order(client, *parts, 2, confirm=True)

    assert held == set()


def call(made, tool: str, arguments: dict) -> tuple[bool, str]:
    """Whether a call of a tool ended in an error, and the text that the language model reads."""

    async def ask():
        async with McpClient(made) as session:
            return await session.call_tool(tool, arguments)

    result = asyncio.run(ask())
    return bool(result.is_error), " ".join(each.text for each in result.content)


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 409, 422])
@pytest.mark.parametrize(
    "tool", ["find", "verdict", "price", "status", "failures", "slice", "order"]
)
def test_language_model_reads_why_a_call_was_rejected(wire, client, caplog, tool, status):
    wire.replies = [answer(status, json.dumps({"errors": [REJECTION]}).encode())]
    model = client.transport.url("models", "/model/1/")
    arguments = {
        "find": {"kind": "model"},
        "verdict": {"model": model},
        "price": {"of": model},
        "status": {"uri": model},
        "failures": {},
        "slice": {"part": model, "config": "http://c/1/"},
        "order": order_of(client),
    }[tool]

    failed, text = call(server(client, {"slice", "order"}), tool, arguments)

    assert failed
    assert f"{status}: config: {REJECTION['title']}" in text
    assert json.dumps(REJECTION["details"]) in text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert not [record for record in caplog.records if record.exc_info]


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("status", {"uri": "http://169.254.169.254/latest/"}, "is not an address of http://wire"),
        ("verdict", {"model": "http://169.254.169.254/model/1/"}, "is not an address of"),
        ("verdict", {"model": "{erp}/order/1/"}, "/order/1/ is not the URI of a model"),
        ("slice", {"part": "/etc/passwd"}, "no folder of files was named"),
    ],
)
def test_language_model_reads_why_arguments_are_wrong(wire, client, tool, arguments, reason):
    erp = client.transport.url("erp", "")
    arguments = {name: value.replace("{erp}/", erp) for name, value in arguments.items()}

    failed, text = call(server(client, {"slice"}), tool, arguments)

    assert failed
    assert reason in text
    assert paths(wire) == []


def test_folder_of_files_that_does_not_exist_is_rejected(client):
    with pytest.raises(ValueError, match="is not a folder"):
        server(client, set(), Path("/nonexistent"))


def test_code_tool_prints_the_calls_without_the_token(wire, client):
    wire.replies = [answer(200, b'{"uri": "u"}')]
    tools = Tools(client)
    uri = client.transport.url("models", "/model/1/")

    tools.status(uri)

    told = tools.code()
    assert told["curl"] == f'curl -s -u "$MP_TOKEN" {uri}\n'
    assert f"print(client.get({uri!r}))" in told["python"]
    assert "secret" not in json.dumps(told)
