"""Messages to chat services: what servers receive, and what is refused on the way there."""

import ast
import inspect
import json
import logging
import socket
import sys
import time
from ipaddress import ip_network

import pytest
import requests
from apprise.plugins import N_MGR

from core.outbound import chat_services, http
from core.outbound.chat_services import SERVICES, NotAccepted, masked, send
from core.outbound.url_policy import ForbiddenUrl
from tests.chat_server import ChatServer

WEBHOOK = "T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ"


@pytest.fixture
def server():
    """A server of the shop's own."""
    server = ChatServer()
    yield server
    server.stop()


@pytest.fixture
def no_private_addresses(settings):
    settings.OUTBOUND_ALLOW = []


def test_ntfy_gotify_and_json_receive_title_and_text(server):
    for url in ("ntfy://u:secret@{}/topic", "gotify://{}/token123456789", "json://{}/hook"):
        send(url.format(server.host), title="Order 7", text="<Hansa> & Co")

    ntfy, gotify, plain = server.requests
    assert (ntfy.json["topic"], ntfy.json["title"]) == ("topic", "Order 7")
    assert ntfy.json["message"] == gotify.json["message"] == plain.json["message"]
    assert plain.json["message"] == "<Hansa> & Co"
    assert ntfy.headers["Authorization"].startswith("Basic ")
    assert gotify.path == "/message"
    assert gotify.headers["X-Gotify-Key"] == "token123456789"
    assert (plain.method, plain.path, plain.json["title"]) == ("POST", "/hook", "Order 7")


def test_answer_of_more_than_a_kilobyte_is_read_in_full(server):
    token = "t" * 5000
    answer = {"status": "success", "data": {"userId": "u", "authToken": token}}
    server.body = json.dumps(answer).encode()

    send(f"rocket://user:password@{server.host}/#shop", title="Order 7", text="Text")

    assert [request.path for request in server.requests][:2] == [
        "/api/v1/login",
        "/api/v1/chat.postMessage",
    ]
    assert server.requests[1].headers["X-Auth-Token"] == token


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "localhost", "169.254.169.254", "10.0.0.1", "[::1]", "0x7f000001"],
)
def test_private_address_is_refused_when_sending(no_private_addresses, host):
    with pytest.raises(NotAccepted, match="not a public one"):
        send(f"json://{host}/hook", title="Order 7", text="Text")


def test_name_that_changes_to_a_private_address_is_refused(no_private_addresses, monkeypatch):
    """The address is checked as the socket is opened, not when the channel is entered."""
    server = ChatServer()
    port = int(server.host.partition(":")[2])
    private = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]
    monkeypatch.setattr(http.ThreadResolver.__init__, "__defaults__", (lambda *_: private,))

    assert masked(f"json://rebind.example:{port}/") == "json://rebind.example/…"
    with pytest.raises(NotAccepted, match="not a public one"):
        send(f"json://rebind.example:{port}/", title="Order 7", text="Text")

    assert server.requests == []


def test_redirect_is_not_followed(server, settings):
    elsewhere = ChatServer()
    for target in (f"http://{elsewhere.host}/", "http://169.254.169.254/latest/"):
        server.status, server.headers = 307, {"Location": target}
        with pytest.raises(NotAccepted, match="answered 307 Temporary Redirect"):
            send(f"json://{server.host}/hook", title="Order 7", text="Text")

    assert (len(server.requests), elsewhere.requests) == (2, [])


def test_proxies_and_passwords_of_the_environment_are_not_used(server, monkeypatch, tmp_path):
    proxy = ChatServer()
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login ada password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.host}")
    monkeypatch.setenv("http_proxy", f"http://{proxy.host}")

    send(f"json://{server.host}/hook", title="Order 7", text="Text")

    assert proxy.requests == []
    assert "Authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    "url",
    [
        *("", "x", "json://", "https://push.example.com/", "slack://T1JJ3T3L2"),
        *("file:///etc/passwd", "syslog://", "dbus://", "windows://", "macosx://", "exec://x"),
        *(
            "mqtt://h.example/t",
            "mailto://a:b@h.example",
            "schan://x",
            "smpp://u:p@h.example:1/2/3",
        ),
        f"slack://{WEBHOOK}/?template=/etc/passwd",
        "discord://4174216298/JHMHI8qBe7bk2ZwO5U711o3dV_js/?template=file:///etc/passwd",
        *(
            "json://h.example/?verify=no",
            "json://h.example/?+Host=metadata",
            "json://h.example/?:a=b",
        ),
        *("ntfy://h.example/t?attach=http://10.0.0.1/", "json://h.example/?rto=9999"),
        *(
            "tgram://123456789:abcdefg_hijklmnop/",
            "json://u:p@ss@h.example/",
            "json://h.example:25/",
        ),
        "json://files.platform.test/",
    ],
)
def test_address_of_another_kind_is_refused(url):
    with pytest.raises(ForbiddenUrl):
        masked(url)
    with pytest.raises(NotAccepted):
        send(url, title="Order 7", text="Text")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"slack://{WEBHOOK}/#shop", "slack://…"),
        (f"https://hooks.slack.com/services/{WEBHOOK}", "slack://…"),
        ("https://discord.com/api/webhooks/0000000000/TTTTTTTTTTTTTTTTTTTT", "discord://…"),
        ("tgram://123456789:abcdefg_hijklmnop/12315544", "tgram://…"),
        (f"pover://{'u' * 30}@{'a' * 30}", "pover://…"),
        ("https://chat.googleapis.com/v1/spaces/AAA/messages?key=k&token=t", "gchat://…"),
        (
            "https://prod-00.westus.logic.azure.com:443/workflows/8b1f7a2b3c/triggers/manual/"
            "paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=abc",
            "workflow://prod-00.westus.logic.azure.com/…",
        ),
        ("ntfy://topic", "ntfy://…"),
        ("ntfys://u:p@push.example/topic?priority=high", "ntfys://push.example/…"),
        ("gotifys://push.example/AbCdEf", "gotifys://push.example/…"),
        ("mmosts://chat.example/abcdefabcdefabcdef", "mmosts://chat.example/…"),
        ("rockets://user:pass@chat.example/#shop", "rockets://chat.example/…"),
        ("jsons://u:p@[2001:db8::1]:8080/x", None),
    ],
)
def test_masked_address_has_no_secret(no_private_addresses, url, shown):
    if shown is None:
        with pytest.raises(ForbiddenUrl):
            masked(url)
    else:
        assert masked(url) == shown


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, NotAccepted), (401, NotAccepted), (429, http.Unreachable), (503, http.Unreachable)],
)
def test_status_decides_whether_a_message_is_repeated(server, status, error):
    server.status, server.body = status, b"secret-of-the-server"

    with pytest.raises(error, match=f"answered {status}") as failure:
        send(f"ntfy://{server.host}/topic", title="Order 7", text="Text")

    assert "secret" not in str(failure.value)


def test_failure_and_log_have_no_secret(server, caplog):
    caplog.set_level(logging.DEBUG)
    url = f"gotify://{server.host}/token123456789/"
    server.raw = b"no HTTP\r\n\r\n"
    with pytest.raises(http.Unreachable) as broken:
        send(url, title="Order 7", text="Text")
    server.stop()
    with pytest.raises(http.Unreachable) as refused:
        send(url, title="Order 7", text="Text")

    texts = [str(broken.value), str(refused.value), caplog.text]
    assert not [text for text in texts if "token123456789" in text]


def test_message_with_many_targets_ends_in_time(monkeypatch):
    """Each request of a message has the rest of its time."""
    silent = socket.create_server(("127.0.0.1", 0))
    monkeypatch.setattr(chat_services, "MAX_SECONDS", 1.0)
    start = time.monotonic()

    with pytest.raises(http.Unreachable, match="No answer"):
        send(
            f"ntfy://127.0.0.1:{silent.getsockname()[1]}/" + "/".join(map(str, range(100, 150))),
            title="Order 7",
            text="Text",
        )

    assert time.monotonic() - start < 10


def test_plugins_of_allowed_services_send_by_the_guarded_requests_alone():
    """A new version of Apprise whose plugins open connections otherwise fails here."""
    masked("ntfy://topic")
    for schema in SERVICES:
        module = sys.modules[N_MGR[schema].__module__]
        tree = ast.parse(inspect.getsource(module))
        imported = set().union(*map(_absolute_imports, ast.walk(tree)))
        used = {
            node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "requests"
        }
        assert not imported & {"requests.", "socket", "ssl", "urllib3", "http", "httpx", "aiohttp"}
        assert not imported & {"asyncio", "subprocess", "smtplib"}
        assert vars(module)["requests"] is not requests
        assert used <= chat_services._METHODS | chat_services._PASSED_ON, schema


def _absolute_imports(node: ast.AST) -> set[str]:
    """Names of the packages that a statement imports; `requests.` where names of it are."""
    if isinstance(node, ast.Import):
        return {alias.name.split(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom) and not node.level and node.module:
        package = node.module.split(".")[0]
        return {f"{package}." if package == "requests" else package}
    return set()


def test_addresses_of_the_setting_are_allowed(settings, server):
    settings.OUTBOUND_ALLOW = [ip_network("127.0.0.1/32")]

    send(f"json://{server.host}/", title="Order 7", text="Text")

    assert len(server.requests) == 1
