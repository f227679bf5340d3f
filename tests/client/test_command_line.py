"""`mp`: what it says, where it says it, and how it ends."""

import io
import json
import sys

import pytest

from manufacturing import config
from manufacturing.cli import commands, doctor, listen
from manufacturing.webhooks import verify
from tests.client.conftest import answer

EVENT = {
    "position": 4,
    "type": "model.processed",
    "uri": "http://models.wire.localhost/model/1/",
    "sequence": 2,
    "created": "2026-11-24T10:00:00+00:00",
    "changes": {"status": "processed", "analyses.manifold": True},
}


@pytest.fixture
def home(tmp_path, monkeypatch, wire):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("MP_URL", f"http://wire.localhost:{wire.port}")
    monkeypatch.setenv("MP_TOKEN", "who:secret")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mp(home, monkeypatch, capsys):
    """Run it: its exit code, what it handed out, what it said."""

    def run(*said: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["mp", *said])
        code = commands.run()
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def listing(*rows: dict) -> bytes:
    return json.dumps({"links": {"next": None}, "resources": rows}).encode()


def rejection(code: str) -> bytes:
    return json.dumps({"errors": [{"code": code, "title": "Not so."}]}).encode()


def test_list_is_printed_tab_separated_without_a_terminal(mp, wire):
    row = {"status": "processed", "name": "a\x1b[2Jb", "created": "now", "uri": "u"}
    wire.replies = [answer(200, listing(row))]

    code, out, err = mp("model", "ls", "--status", "processed", "--where", "type=stl")

    assert (code, out, err) == (0, "processed\ta [2Jb\tnow\tu\n", "")
    asked = wire.asked[0][1]
    assert "filter%5Bstatus%5D=processed" in asked
    assert "filter%5Btype%5D=stl" in asked


def test_list_is_printed_as_json_with_the_json_option(mp, wire):
    wire.replies = [answer(200, listing({"uri": "u", "name": "é"}))]

    code, out, _ = mp("order", "ls", "--json")

    assert (code, json.loads(out)) == (0, [{"uri": "u", "name": "é"}])


@pytest.mark.parametrize(
    ("status", "code"), [(400, 1), (401, 1), (403, 1), (404, 1), (409, 1), (422, 1)]
)
def test_api_error_exits_with_1_and_its_title(mp, wire, status, code):
    wire.replies = [answer(status, rejection("no"))]

    ended, out, err = mp("model", "show", "01a20fd9-837a-7ff4-b225-ba7174287527")

    assert (ended, out) == (code, "")
    assert f"mp: {status}: Not so." in err
    assert ("mp login" in err) == (status == 401)


def test_wrong_usage_exits_with_2(mp, capsys):
    assert mp("model", "show", "nonsense") == (
        *(2, ""),
        "mp: 'nonsense' is neither a URI nor a uuid.\n",
    )
    assert mp("print", "nothing-there.stl")[0] == 2
    assert mp("model", "ls", "--where", "odd")[0] == 2
    assert mp("mcp", "--allow", "everything")[0] == 2


def test_failed_resource_exits_with_3(mp, wire, home):
    (home / "part.stl").write_bytes(b"solid")
    base = f"http://models.wire.localhost:{wire.port}/model/1/"
    location = f"http://files.wire.localhost:{wire.port}/upload/1"
    errors = [{"code": "not-stl", "title": "This is no STL."}]
    failed = {"uri": base, "status": "error", "errors": errors}

    def reply(handler, body):
        created = handler.command == "POST"
        if handler.command == "PATCH":
            answer(204, Upload_Offset="5")(handler, body)
        elif handler.path.startswith("/events/"):
            answer(429)(handler, body)
        else:
            head = {"X_Upload_Location": location} if created else {}
            answer(201 if created else 200, json.dumps(failed).encode(), **head)(handler, body)

    wire.replies = [reply]

    code, out, err = mp("print", "part.stl")

    assert (code, out) == (3, "")
    assert "This is no STL." in err


def test_unreachable_platform_exits_with_4(mp, monkeypatch):
    monkeypatch.setenv("MP_URL", "http://wire.localhost:1")

    assert mp("model", "ls")[0] == 4
    assert mp("doctor")[0] == 4


def test_login_checks_the_token_and_stores_it_with_mode_0600(mp, wire, home, monkeypatch):
    wire.replies = [answer(200, b'{"username": "ada", "uri": "u"}')]
    monkeypatch.delenv("MP_TOKEN")
    monkeypatch.setattr(sys, "stdin", io.StringIO("who:its-secret\n"))

    code, out, err = mp("login", f"http://wire.localhost:{wire.port}")

    path = home / "config" / "manufacturing" / "login.json"
    assert (code, out) == (0, "")
    assert "ada" in err
    assert "its-secret" not in err
    assert path.stat().st_mode & 0o777 == 0o600
    assert config.place_of()[1] == "who:its-secret"


def test_rejected_token_is_not_stored(mp, wire, home):
    wire.replies = [answer(401, rejection("unauthenticated"))]

    assert mp("login")[0] == 1
    assert config.read() == {}


def test_login_by_password_creates_a_token_and_ends_the_session(mp, wire, monkeypatch):
    """A one-time password is asked for where the account has one; the login is over afterwards."""
    wire.replies = [
        answer(401, rejection("one-time-password-required")),
        answer(201, b"{}", Set_Cookie="session=abc; HttpOnly"),
        answer(201, b'{"uuid": "u", "secret": "s"}'),
        answer(204),
        answer(200, b'{"username": "ada", "uri": "u"}'),
    ]
    monkeypatch.setattr(sys, "stdin", io.StringIO("a long pass phrase\n123456\n"))

    assert mp("login", "--user", "ada")[0] == 0

    assert config.read()["token"] == "u:s"
    methods = [(method, path) for method, path, _, _ in wire.asked]
    assert methods[2:4] == [("POST", "/api_tokens/"), ("DELETE", "/sessions/")]
    assert wire.asked[2][2]["Cookie"] == "session=abc"
    assert json.loads(wire.asked[1][3])["one_time_password"] == "123456"


def test_code_prints_the_last_command_without_the_token(mp, wire):
    wire.replies = [answer(200, b'{"uri": "u", "status": "processed"}')]
    uri = f"http://models.wire.localhost:{wire.port}/model/1/"
    mp("model", "show", uri)

    code, out, _ = mp("code")

    assert code == 0
    assert out.splitlines()[:2] == [f"# mp model show {uri}", f'curl -s -u "$MP_TOKEN" {uri}']
    assert f"print(client.get({uri!r}))" in out
    assert "who:secret" not in out
    assert json.loads(mp("code", "--curl", "--json")[1]) == {
        "command": f"mp model show {uri}",
        "curl": f'curl -s -u "$MP_TOKEN" {uri}\n',
    }


def test_code_without_a_previous_command_exits_with_1(mp):
    assert mp("code") == (1, "", "mp: No command has asked anything yet.\n")


def test_open_maps_a_resource_uri_to_its_console_page(mp, wire, monkeypatch):
    opened = []
    monkeypatch.setattr(commands.webbrowser, "open", opened.append)

    code, out, _ = mp("open", f"http://erp.wire.localhost:{wire.port}/order/7/")

    assert (code, out) == (0, f"http://wire.localhost:{wire.port}/order/7/\n")
    assert opened == [out.strip()]
    assert mp("open", "http://slicing.wire.localhost/config/7/")[0] == 1


def test_events_command_prints_past_events(mp, wire):
    wire.replies = [answer(200, json.dumps(EVENT).encode() + b"\n\n")]

    assert mp("events", "model.*") == (
        *(0, f"4\t{EVENT['created']}\tmodel.processed\t{EVENT['uri']}\n", ""),
    )
    assert wire.asked[0][1] == "/events/?type=model.%2A&after=0"


def test_listener_receives_events_signed_and_retried_as_callbacks(wire, home, monkeypatch):
    wire.replies = [answer(500), answer(200)]
    monkeypatch.setattr(listen, "PAUSE", 0)
    secret = listen.secret()

    outcome = listen.deliver(EVENT, f"http://127.0.0.1:{wire.port}/hook", secret)

    (_, path, first, body), (_, _, second, _) = wire.asked
    assert (outcome, path, listen.secret()) == ("200", "/hook", secret)
    assert json.loads(body) == {"uri": EVENT["uri"], **EVENT["changes"]}
    assert verify(first, body, secret)
    assert first["webhook-id"] == second["webhook-id"]
    assert (first["webhook-attempt"], second["webhook-attempt"]) == ("1", "2")
    assert (first["webhook-sequence"], "Authorization" in first) == ("2", False)


def test_delivery_to_unreachable_listener_is_reported():
    assert "refused" in listen.deliver(EVENT, "http://127.0.0.1:1/hook", "whsec_AAAA")


@pytest.mark.parametrize(
    ("theirs", "fine"), [("0.9.0", True), ("0.10.0", True), ("0.8.9", False), ("1.0.0", False)]
)
def test_client_accepts_a_platform_of_its_version_or_a_later_minor(wire, client, theirs, fine):
    wire.replies = [answer(200, json.dumps({"info": {"version": theirs}}).encode())]

    assert doctor.version(client).fine == fine
