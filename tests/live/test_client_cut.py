"""The Python client on lines that are lost, and beside processes that are killed."""

import os
import random
import signal
import subprocess
import sys
import textwrap
from collections import Counter
from hashlib import sha256
from urllib.parse import urlsplit

import pytest

from manufacturing import Client, Unreachable, files
from manufacturing.transport import Plain
from tests.live.connection_cutter import CuttingLine
from tests.live.processes import DOMAIN, ROOT, kill, wait_for

pytestmark = [pytest.mark.live, pytest.mark.long]

CUTS = int(os.environ.get("CLIENT_CUTS", "20"))
SEED = int(os.environ.get("CLIENT_SEED", "1"))
PIECE = 16 << 10
SIZE = 16 * PIECE  # as many pieces as 64 MB have
HEADS = 6000  # bytes within which the creation, its answer, and the first piece's head lie


@pytest.fixture
def place(platform, client) -> tuple[str, str]:
    token, secret = client.session.auth
    return f"http://{DOMAIN}:{platform.port}", f"{token}:{secret}"


@pytest.fixture
def direct(place):
    """A client whose line is whole."""
    with Client(*place) as direct:
        yield direct


@pytest.fixture
def line(platform):
    line = CuttingLine(platform.port)
    yield line
    line.close()


@pytest.fixture
def mp(place, line, monkeypatch):
    """A client whose line is cut."""

    def through_the_line(url, seconds: float) -> Plain:
        return Plain("127.0.0.1", line.port, timeout=seconds)

    monkeypatch.setattr(files, "LARGE", PIECE)
    with Client(*place) as mp:
        monkeypatch.setattr(mp.transport, "_connect", through_the_line)
        yield mp


def document(number: int) -> bytes:
    """A file that is kept as it is, without work on it."""
    return b"%PDF-1.4\n" + random.Random(number).randbytes(SIZE - 9)


def hash_of(row: dict) -> str:
    """The SHA-256 of a model's file, by which the platform's store names it."""
    return urlsplit(row["content"]).path.rpartition("/")[2]


def by_name(direct: Client, beginning: str) -> dict[str, list[dict]]:
    rows = list(direct.models.models(search={"name": beginning}, limit=1000))
    names = Counter(row["name"] for row in rows)
    return {name: [row for row in rows if row["name"] == name] for name in names}


def test_interrupted_upload_creates_one_model_with_the_right_file(mp, line, direct, tmp_path):
    """Cuts: half of them in the heads, half anywhere; requests and answers in turn."""
    dice, path = random.Random(SEED), tmp_path / "part.pdf"
    path.write_bytes(document(0))
    mp.models.upload(path, name="whole", type="pdf")
    whole = dict(line.passed)
    most, sent = 0, {}
    for number in range(CUTS):
        data = document(number)
        path.write_bytes(data)
        direction = ("up", "down")[number % 2]
        end = whole[direction] if number % 4 < 2 else min(HEADS, whole[direction])
        line.cut_at(direction, dice.randrange(end))

        mp.models.upload(path, name=f"cut {number}.", type="pdf")

        most = max(most, line.passed["up"])
        sent[f"cut {number}."] = sha256(data).hexdigest()
        assert line.was_cut or direction == "down", number

    made = by_name(direct, "cut ")
    assert {name: [hash_of(row) for row in rows] for name, rows in made.items()} == {
        name: [digest] for name, digest in sent.items()
    }
    heads = whole["up"] - SIZE
    print(f"\n{CUTS} cuts: at most {(most - heads) / SIZE:.3f} x the size was sent")
    assert most - heads <= 1.1 * SIZE


def test_interrupted_download_is_resumed_to_the_complete_file(mp, line, direct, tmp_path):
    dice, path, data = random.Random(SEED), tmp_path / "part.pdf", document(1)
    path.write_bytes(data)
    row = direct.models.upload(path, name="to be fetched", type="pdf")
    location = wait_for(lambda: direct.get(row)["content"])
    mp.download(location, path)
    whole = dict(line.passed)
    for number in range(CUTS // 4):
        direction = ("up", "down")[number % 2]
        line.cut_at(direction, dice.randrange(whole[direction]))

        mp.download(location, path)

        assert path.read_bytes() == data, number
        assert line.was_cut
        assert line.passed["down"] <= 1.1 * whole["down"]


UPLOAD = textwrap.dedent("""
    import sys, time
    from manufacturing import Client, files
    files.LARGE = int(sys.argv[3])
    def slowly(done, size):
        print(done, flush=True)
        time.sleep(0.01)
    with Client() as client:
        client.models.upload(sys.argv[1], name=sys.argv[2], type="pdf", progress=slowly,
                             idempotency_key=sys.argv[2])
""")


@pytest.mark.parametrize("pieces", [0, 5, 11])
def test_killed_upload_process_resumes_with_its_idempotency_key(place, direct, tmp_path, pieces):
    data, path, name = document(2000 + pieces), tmp_path / "part.pdf", f"killed at {pieces}."
    path.write_bytes(data)
    program = [sys.executable, "-c", UPLOAD, str(path), name, str(PIECE)]
    told = {"MP_URL": place[0], "MP_TOKEN": place[1], "PYTHONPATH": str(ROOT / "client")}
    pipes = {"stdout": subprocess.PIPE, "text": True, "env": {**os.environ, **told}}

    with subprocess.Popen(program, **pipes) as first:
        for _ in range(pieces):
            first.stdout.readline()
        wait_for(lambda: pieces or by_name(direct, name))
        first.send_signal(signal.SIGKILL)
    again = subprocess.run(program, **pipes, check=True)

    made = by_name(direct, name)
    assert {name: [hash_of(row) for row in rows] for name, rows in made.items()} == {
        name: [sha256(data).hexdigest()]
    }
    first_told = int(again.stdout.split()[0])
    assert first_told >= pieces * PIECE  # what had come was not sent again


@pytest.mark.single("it kills web")
@pytest.mark.parametrize("pieces", [5])
def test_upload_creates_one_model_when_the_server_is_killed(
    platform, direct, tmp_path, monkeypatch, pieces
):
    data, path, name = document(3000 + pieces), tmp_path / "part.pdf", f"server killed at {pieces}."
    path.write_bytes(data)
    monkeypatch.setattr(files, "LARGE", PIECE)
    killed = []

    def kill_at(done: int, size: int) -> None:
        if done >= pieces * PIECE and not killed:
            killed.append([kill(each) for each in platform.program("project.asgi:application")])

    def uploaded() -> bool:
        """Whether it came through; five tries of the client may be over before the server is."""
        try:
            direct.models.upload(
                path, name=name, type="pdf", progress=kill_at, idempotency_key=name
            )
        except Unreachable:
            return False
        return True

    wait_for(uploaded)

    made = by_name(direct, name)
    assert killed
    assert {name: [hash_of(row) for row in rows] for name, rows in made.items()} == {
        name: [sha256(data).hexdigest()]
    }
