"""The client as a fresh platform serves it: installed into an empty environment, and used."""

import asyncio
import json
import os
import re
import shlex
import subprocess
import sysconfig
import venv
from hashlib import sha256
from pathlib import Path

import pytest
from mcp import Client as McpClient
from mcp import StdioServerParameters

from core import VERSION
from geometry.formats.stl import write_binary
from geometry.sample_part import bracket
from manufacturing import Client as MpClient
from tests.live.client import Client
from tests.live.conftest import MAX_UPLOAD
from tests.live.processes import DOMAIN, ROOT, Platform

pytestmark = pytest.mark.live

EXAMPLE = ROOT / "client" / "examples" / "print_a_part.py"
MEGABYTE = 1 << 20
# 1 GB: CLIENT_MEGABYTES=1024
SIZE = int(os.environ.get("CLIENT_MEGABYTES", "200")) * MEGABYTE
MAX_MEMORY = 40 * 1024  # KiB
MAX_MODULES = 200  # that an import loads, those of the interpreter too


class Environment:
    """A virtual environment with what a platform serves, and somebody's folder."""

    def __init__(self, platform: Platform, client: Client, folder: Path) -> None:
        self.folder, self.base = folder, f"http://{DOMAIN}:{platform.port}"
        self.wheel = f"{self.base}/client/manufacturing-{VERSION}-py3-none-any.whl"
        # Whatever the resolver knows: the platform understands what is meant for a proxy.
        self.through = f"http://127.0.0.1:{platform.port}"
        self.token = ":".join(client.session.auth)
        venv.create(folder / "venv", with_pip=True)
        self.bin = folder / "venv" / "bin"

    def install(self, extras: str = "") -> None:
        what = f"manufacturing{extras} @ {self.wheel}" if extras else self.wheel
        pip = ["pip", "install", "-q", "--disable-pip-version-check", "--no-index"]
        self.run(*pip, "--force-reinstall", "--no-deps", "--proxy", self.through, self.wheel)
        if extras:  # of packages that are there already
            self.run(*pip, "--proxy", self.through, what)

    def run(self, program: str, *said: str, **told: str) -> str:
        """Its output; only the environment that is told, and that of the machine."""
        known = {"PATH": f"{self.bin}:{os.environ['PATH']}", "HOME": str(self.folder), **told}
        done = subprocess.run(
            [self.bin / program, *said],
            env=known,
            cwd=self.folder,
            input=self.token,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout


@pytest.fixture(scope="module")
def place(platform, tmp_path_factory) -> Environment:
    place = Environment(platform, Client(platform), tmp_path_factory.mktemp("shop"))
    write_binary(bracket(), place.folder / "bracket.stl")
    place.install()
    return place


@pytest.fixture(scope="module")
def with_tools(place) -> Environment:
    """The same with the packages of the extras, as those who test have them."""
    site = Path(sysconfig.get_path("purelib", vars={"base": str(place.folder / "venv")}))
    (site / "extras.pth").write_text(sysconfig.get_path("purelib") + "\n")
    place.install("[cli,mcp]")
    return place


@pytest.mark.engine
@pytest.mark.gl
def test_readme_example_prints_a_part_in_at_most_12_lines_of_python(place):
    lines = [line for line in EXAMPLE.read_text().splitlines()[1:] if line.strip()]

    place.run("python", str(EXAMPLE), MP_URL=place.base, MP_TOKEN=place.token)

    assert len(lines) <= 12
    assert b"G1 X" in (place.folder / "bracket.gcode").read_bytes()
    assert (place.folder / "bracket.png").read_bytes().startswith(b"\x89PNG")
    assert "\n".join(lines) in _without_blanks((ROOT / "README.md").read_text())
    assert "\n".join(lines) in _without_blanks((ROOT / "docs" / "client.md").read_text())


@pytest.mark.engine
def test_readme_example_prints_a_part_in_at_most_4_lines_of_shell(with_tools):
    readme = (ROOT / "README.md").read_text()
    (block,) = re.findall(r"```shell\n(.*?)```", readme, re.DOTALL)
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    (with_tools.folder / "bracket.gcode").unlink(missing_ok=True)

    for program, *said in lines:
        if program == "pip":  # done by the fixture, at this platform's address
            assert said[-1].startswith("manufacturing[cli] @ http://")
            continue
        said = [with_tools.base if each.startswith("http://") else each for each in said]
        with_tools.run(program, *(each for each in said if each not in ("--user", "ada")))

    assert [line[0] for line in lines] == ["pip", "mp", "mp", "mp"]
    assert b"G1 X" in (with_tools.folder / "bracket.gcode").read_bytes()
    told = json.loads(with_tools.run("mp", "slice", "ls", "--json"))
    assert told[0]["status"] == "processed"


def test_print_command_orders_and_confirms_a_part(with_tools):
    with MpClient(with_tools.base, with_tools.token) as mp:
        bureau = mp.erp.bureau(name="Shop")
        material = mp.erp.material(bureau=bureau, name="PLA", filament_type="PLA")
        with_tools.run("mp", "login", with_tools.base)

        said = ("--shop", "Shop", "--quantity", "3", "--confirm", "--json")
        told = json.loads(with_tools.run("mp", "print", "bracket.stl", *said))

        item = mp.erp.get_line_item(told["line_item"])
        pieces = list(mp.erp.pieces(line_item=item))
    assert (item["status"], item["quantity"], item["model"]) == ("confirmed", 3, told["model"])
    assert item["materials"]["base"] == material["uri"]
    assert (item["order"], len(pieces)) == (told["order"], 3)


def test_mcp_server_serves_its_tools_over_stdio(with_tools):
    told = {"MP_URL": with_tools.base, "MP_TOKEN": with_tools.token, "HOME": str(with_tools.folder)}
    serving = StdioServerParameters(command=str(with_tools.bin / "mp"), args=["mcp"], env=told)

    async def ask() -> tuple[set[str], str]:
        async with McpClient(serving) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("find", {"kind": "model", "limit": 1})
            return tools, json.dumps(found.model_dump(mode="json"))

    tools, found = asyncio.run(ask())

    assert tools == {"find", "verdict", "price", "status", "failures", "code"}
    assert f"models.{DOMAIN}" in found or '"result": []' in found


def test_client_import_loads_few_modules(place):
    """What an import takes grows with the modules it loads; milliseconds depend on the machine."""
    program = "import sys, manufacturing; print(*sys.modules)"

    loaded = place.run("python", "-c", program).split()

    assert len(loaded) <= MAX_MODULES
    assert {"asyncio", "logging", "multiprocessing", "xml"}.isdisjoint(loaded)


FILES = """
import re, sys, time
from manufacturing import Client
with Client() as client:
    if sys.argv[1] == "up":
        row = client.models.upload(sys.argv[2], name="large", type="pdf")
        while client.get(row)["content"] is None:
            time.sleep(0.2)
        print(client.get(row)["content"])
    else:
        client.download(sys.argv[3], sys.argv[2])
# Not ru_maxrss, which begins with what the process had that forked this one.
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


@pytest.fixture
def large_account(platform, client, place):
    """A place that takes the file: for more than the others take, a platform of its own."""
    if SIZE <= MAX_UPLOAD:
        yield place
        return
    running = Platform(MAX_UPLOAD=str(2 * SIZE))
    try:
        running.start()
        yield Environment(running, Client(running), place.folder / "roomy")
    finally:
        running.stop()


def test_client_transfers_files_of_any_size_in_constant_memory(large_account, tmp_path):
    large, back = tmp_path / "large.pdf", tmp_path / "back.pdf"
    with large.open("wb") as file:
        file.write(b"%PDF-1.4\n")
        file.truncate(SIZE)
    told = {"MP_URL": large_account.base, "MP_TOKEN": large_account.token}
    told["PYTHONPATH"] = str(ROOT / "client")

    location, up = large_account.run("python", "-c", FILES, "up", str(large), **told).split()
    (down,) = large_account.run("python", "-c", FILES, "down", str(back), location, **told).split()

    print(f"\n{SIZE} bytes: up {int(up) / 1024:.1f} MiB, down {int(down) / 1024:.1f} MiB")
    assert hash_of(back) == hash_of(large)
    assert max(int(up), int(down)) <= MAX_MEMORY


def hash_of(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while piece := file.read(MEGABYTE):
            digest.update(piece)
    return digest.hexdigest()


def _without_blanks(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if line.strip())
