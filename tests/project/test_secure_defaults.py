"""What a new installation gives away: nothing in its logs, to other users, or without TLS."""

import json
import os
import pty
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

pytestmark = pytest.mark.slow

MANAGE = [sys.executable, str(settings.BASE_DIR / "manage.py")]
CHECK = ["check", "--deploy", "--fail-level", "WARNING"]
HTTPS = {"HOST_SCHEME": "https", "PARENT_HOST": "print.example.com", "HOST_PORT": ""}
MAIL = ["sendtestemail", "ada@example.com"]
ASK_EACH_HOST = """
import asyncio, json
from project.asgi import application
from django.conf import settings

async def hsts(name):
    host = f"{name}{settings.PARENT_HOST}".encode()
    scope = {"type": "http", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"",
             "headers": [(b"host", host)], "http_version": "1.1", "scheme": "http",
             "server": ("127.0.0.1", 80), "client": ("127.0.0.1", 9), "root_path": ""}
    told = {}

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        told.update(dict(message.get("headers", ())))

    await application(scope, receive, send)
    return told.get(b"strict-transport-security", b"").decode() or None

async def main():
    hosts = ("", "users.", "files.", "admin.", "nobody.")
    return [await hsts(name) for name in hosts]

print(json.dumps(asyncio.run(main())))
"""


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    return {**os.environ, "DATA_DIR": str(tmp_path / "made" / "data")}


@pytest.fixture
def manage(environment) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`manage(words, NAME=value)`: what a command says in a new installation, without terminal."""

    def run(words, **variables):
        return subprocess.run(
            [*MANAGE, *words],
            env={**environment, **variables},
            capture_output=True,
            text=True,
            start_new_session=True,
        )

    return run


def test_deployment_check_passes_with_https_and_mail_server(manage):
    done = manage(CHECK, **HTTPS, EMAIL_URL="smtp://mail.example.com?tls=1")

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, None),
        (HTTPS, "max-age=2592000"),
        ({**HTTPS, "HSTS_SECONDS": "60"}, "max-age=60"),
        ({**HTTPS, "HSTS_SECONDS": "0"}, None),
    ],
)
def test_every_host_sends_hsts_header_under_https(environment, variables, told):
    words = [sys.executable, "-c", ASK_EACH_HOST]
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}

    done = subprocess.run(words, env={**environment, **paths, **variables}, capture_output=True)

    assert json.loads(done.stdout or done.stderr) == [told] * 5


def test_console_mail_backend_is_warned_about_outside_localhost(manage):
    away = manage(CHECK, **HTTPS)
    at_home = manage(["check"], PARENT_HOST="platform.localhost")

    assert away.returncode == 1
    assert "(core.W002) Mail of print.example.com reaches nobody" in away.stderr
    assert "1 issue" in away.stderr
    assert "core.W002" not in at_home.stderr


def test_mail_without_terminal_is_lost_and_logged_with_remedy(manage):
    done = manage(MAIL, EMAIL_URL="console:", PARENT_HOST="platform.localhost")

    assert "it was successful" not in done.stdout + done.stderr
    assert "it is lost, since this process has no terminal. Set EMAIL_URL" in done.stderr


def test_mail_is_shown_on_the_terminal_and_not_logged(environment, tmp_path):
    environment = {**environment, "EMAIL_URL": "console:", "PARENT_HOST": "platform.localhost"}
    log = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)

    child, terminal = pty.fork()
    if child == 0:  # as a program of supervisord: in the terminal's session, printing into a log
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.execve(MANAGE[0], [*MANAGE, *MAIL], environment)
    shown = _read_to_the_end(terminal)
    os.waitpid(child, 0)

    logged = (tmp_path / "log").read_text()
    assert "To: ada@example.com" in shown
    assert "it was successful" in shown
    assert "ada@example.com" not in logged
    assert "Sent e-mail 'Test email from" in logged
    assert "it is shown on the terminal." in logged


def test_written_files_are_not_accessible_to_other_users(manage, environment):
    folder = Path(environment["DATA_DIR"])
    folder.mkdir(parents=True)
    folder.chmod(0o755)  # of an older version

    manage(["collectstatic", "--no-input"])

    assert stat.S_IMODE(folder.stat().st_mode) == 0o711
    written = list(folder.rglob("*"))
    assert len(written) > 10
    assert [path for path in written if path.stat().st_mode & 0o077] == []


def test_new_data_dir_is_only_traversable_by_other_users(manage, environment):
    manage(["check"])

    folder = Path(environment["DATA_DIR"])
    assert [stat.S_IMODE(at.stat().st_mode) for at in (folder, folder.parent)] == [0o711, 0o711]


def _read_to_the_end(terminal: int) -> str:
    text = b""
    try:
        while data := os.read(terminal, 1 << 16):
            text += data
    except OSError:  # Linux's way to say that nobody writes any more
        pass
    os.close(terminal)
    return text.decode()
