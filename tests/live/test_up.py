"""`manage.py up` as whoever starts it sees it: what it says and when, and doctor beside it."""

import os
import subprocess
import sys

import pytest
import requests
from django.conf import settings

from tests.live.processes import DOMAIN, OWN, ROOT, Platform, alive, browser, wait_for

pytestmark = pytest.mark.live


def ask_doctor(platform: Platform) -> subprocess.CompletedProcess:
    """`doctor` in a second shell, which knows nothing of the platform but where its data are."""
    shell = {name: value for name, value in os.environ.items() if name not in (*OWN, "PORT")}
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), "doctor"],
        env={**shell, "DATA_DIR": str(platform.folder)},
        capture_output=True,
        text=True,
    )


def status(platform: Platform, host: str) -> int | None:
    try:
        return browser().get(platform.url(f"{host}/"), timeout=30).status_code
    except requests.RequestException:
        return None


def test_up_prints_addresses_when_ready_and_nothing_after_shutdown():
    platform = Platform()
    hosts = (*settings.SERVICES, "admin")
    try:
        platform.start()
        answered = {host: status(platform, host) for host in hosts}
        doctor = ask_doctor(platform)
        wait_for(lambda: platform.said().rstrip().endswith(platform.url("admin/")[:-1]))
        said = platform.said()
        processes = platform.processes()
        platform.first.terminate()
        platform.first.wait(120)
        afterwards = platform.said()
    finally:
        platform.stop()

    assert None not in answered.values() and max(answered.values()) < 500
    assert doctor.returncode == 0, doctor.stdout
    begun, port = processes[0].pid, platform.port
    assert f"that of {platform.folder}, port {port}, process {begun}\n" in doctor.stdout
    _, _, last = said.partition("\nReady.\n")
    assert [line.split() for line in last.splitlines()] == [
        ["console", f"http://{DOMAIN}:{port}"],
        *([host, platform.url(f"{host}/")[:-1]] for host in hosts),
    ]
    assert afterwards == said
    assert not any(alive(process) for process in processes)
