"""Clients that others' programs make of our OpenAPI documents compile, list and create."""

import base64
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from tests.live.client import Client
from tests.live.processes import ROOT

pytestmark = [pytest.mark.live, pytest.mark.long]

TOOLS = ROOT / ".cache" / "generators"
# Every module is loaded; then a model is made and found in its list.
PYTHON = """
import importlib, os, pkgutil, sys

for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
        importlib.import_module(module.name)

from client_of_models import AuthenticatedClient
from client_of_models.api.model import create_model, list_model
from client_of_models.models import ModelRequest

client = AuthenticatedClient(
    base_url=os.environ["ADDRESS"],
    token=os.environ["CREDENTIALS"],
    prefix="Basic",
    headers={"Host": os.environ["HOST"]},
    raise_on_unexpected_status=True,
)
made = create_model.sync(client=client, body=ModelRequest(name="by a generated client"))
found = list_model.sync(client=client, pagelimit=1)
assert found.resources[0].uri == made.uri, (made, found)
assert found.resources[0].allowed_transformations.resize is False
print(made.status.value)
"""
TYPESCRIPT = """
import createClient from "openapi-fetch";
import type { paths } from "./models";

async function run(): Promise<void> {
  const { CREDENTIALS, HOST } = process.env as Record<string, string>;
  const headers = { Authorization: `Basic ${CREDENTIALS}` };
  const client = createClient<paths>({ baseUrl: `http://${HOST}`, headers });
  const made = await client.POST("/model/", { body: { name: "by a generated client" } });
  if (!made.data) throw new Error(JSON.stringify(made.error));
  const found = await client.GET("/model/", { params: { query: { "page[limit]": 1 } } });
  const first = found.data?.resources[0];
  if (first?.uri !== made.data.uri) throw new Error(JSON.stringify(found));
  console.log(first.status);
}

run().catch((error) => { console.error(error); process.exit(1); });
"""
# Names below localhost lead to this machine, as browsers have it; node asks a resolver.
LOCAL = """
const dns = require("node:dns");
dns.lookup = (name, options, tell) =>
  options.all ? tell(null, [{ address: "127.0.0.1", family: 4 }]) : tell(null, "127.0.0.1", 4);
"""


@pytest.fixture(scope="module")
def tools() -> Path:
    subprocess.run([ROOT / "bin" / "install-generators"], check=True, timeout=600)
    return TOOLS


@pytest.fixture
def documents(client: Client, tmp_path: Path) -> Path:
    """The document of each host, as it is served."""
    for host in (*settings.SERVICES, "data"):
        told = client.ask("GET", f"{host}/openapi.json", 200)
        (tmp_path / f"{host}.json").write_bytes(told.content)
    return tmp_path


@pytest.fixture
def caller(client: Client) -> dict[str, str]:
    """Whom the generated client asks, by an address that every resolver knows, and as whom."""
    host = client.platform.url("models/").removeprefix("http://").rstrip("/")
    key, secret = client.session.auth
    return {
        "PATH": os.environ["PATH"],
        "ADDRESS": f"http://127.0.0.1:{host.rpartition(':')[2]}",
        "HOST": host,
        "CREDENTIALS": base64.b64encode(f"{key}:{secret}".encode()).decode(),
    }


def test_generated_python_client_works_for_every_openapi_document(tools, documents, caller):
    names = []
    for host in settings.SERVICES:
        name = f"client_of_{host}"
        made = run(
            [tools / "bin" / "openapi-python-client", "generate", "--meta", "none"]
            + ["--path", f"{host}.json", "--output-path", name],
            documents,
            caller,
        )
        assert "Unable to" not in made
        names.append(name)

    assert run([tools / "bin" / "python", "-c", PYTHON, *names], documents, caller) == "processing"


def test_generated_typescript_client_works_for_every_openapi_document(tools, documents, caller):
    if shutil.which("npm") is None:
        pytest.skip("npm is not here: no TypeScript client is made (apt-get install npm)")
    (documents / "node_modules").symlink_to(tools / "node_modules")
    commands = documents / "node_modules" / ".bin"
    for document in documents.glob("*.json"):
        run(
            [commands / "openapi-typescript", document.name, "-o", f"{document.stem}.ts"],
            documents,
            caller,
        )
    (documents / "main.ts").write_text(TYPESCRIPT)
    options = ["--strict", "--target", "es2022", "--module", "nodenext"]
    sources = sorted(documents.glob("*.ts"))
    run([commands / "tsc", *options, *sources], documents, caller)

    (documents / "local.js").write_text(LOCAL)
    told = run(["node", "--require", "./local.js", "main.js"], documents, caller)
    assert told == "processing"


def run(command: list, folder: Path, environment: dict[str, str]) -> str:
    """What a program printed, which must end well."""
    ended = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout.strip()
