"""HTTP digest of curl, by which slicers send files, against a running platform."""

import shutil
import subprocess

import pytest

from tests.live.client import Client
from tests.live.processes import DOMAIN, Platform

pytestmark = pytest.mark.slow


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_curl_sends_a_file_by_digest(platform: Platform, client: Client, tmp_path):
    bureau = client.ask("POST", "erp/bureau/", 201, json={"name": "Shop"}).headers["Location"]
    body = {"bureau": bureau, "name": "PrusaSlicer"}
    key = client.ask("POST", "erp/slicer-key/", 201, json=body).headers["Location"]
    login = client.ask(
        "POST", f"erp/{key.partition(DOMAIN)[2].partition('/')[2]}secret/", 201
    ).json()
    file = tmp_path / "part.gcode"
    file.write_bytes(b"G1 X1\n" * 1_000_000)

    host = f"print.{DOMAIN}:{platform.port}"
    user = f"{login['user']}:{login['secret']}"
    command = ["curl", "--silent", "--digest", "--upload-file", str(file), "--user", user]
    command += ["--write-out", "%{http_code}", "--output", str(tmp_path / "answer")]
    command += ["--resolve", f"{host}:127.0.0.1", f"http://{host}/api/v1/files/local/part.gcode"]
    sent = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    assert sent.stdout == "201", (tmp_path / "answer").read_text()
