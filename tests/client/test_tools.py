"""The MCP server: what it offers, and that what makes something is first a dry run."""

import asyncio
import json

import pytest

from manufacturing.cli.mcp_tools import Tools, server
from tests.client.conftest import answer


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
    assert [path for _, path, _, _ in wire.asked] == ["/slice/?dry_run=true", "/slice/"]


def test_confirmation_of_one_dry_run_is_not_valid_for_another_call(wire, client, tmp_path):
    wire.replies = [answer(200, b'{"accepted": true}')]
    tools = Tools(client)
    word = tools.slice("http://m/1/", "http://c/1/")["go"]

    other = tools.slice("http://m/2/", "http://c/1/", go=word)
    restarted = Tools(client).slice("http://m/1/", "http://c/1/", go=word)

    assert (other["dry_run"], restarted["dry_run"]) == (True, True)
    assert {path for _, path, _, _ in wire.asked} == {"/slice/?dry_run=true"}


def test_dry_run_of_slice_tool_uploads_no_file(wire, client, tmp_path):
    (tmp_path / "part.stl").write_bytes(b"solid")
    tools = Tools(client)

    told = tools.slice(str(tmp_path / "part.stl"), material="ABS", infill=30)

    config = {"material": "ABS", "infill_density": 30}
    assert told["would"] == {"uploads": str(tmp_path / "part.stl"), "makes_config": config}
    assert wire.asked == []


def test_code_tool_prints_the_calls_without_the_token(wire, client):
    wire.replies = [answer(200, b'{"uri": "u"}')]
    tools = Tools(client)
    uri = client.transport.url("models", "/model/1/")

    tools.status(uri)

    told = tools.code()
    assert told["curl"] == f'curl -s -u "$MP_TOKEN" {uri}\n'
    assert f"print(client.get({uri!r}))" in told["python"]
    assert "secret" not in json.dumps(told)
