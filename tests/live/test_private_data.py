"""What a running platform writes is for nobody else's eyes."""

import re

import pytest

from tests.conftest import CORNERS, SIDES, binary_stl
from tests.live.processes import wait_for

pytestmark = [pytest.mark.live, pytest.mark.single("it reads the files and logs of its machine")]

FOLDERS = ("files", "logs", "run")


def test_uploads_and_logs_are_readable_by_their_owner_only(platform, client):
    client.settled(client.model(binary_stl(CORNERS[SIDES] * 20)))

    database = platform.folder / "postgres"  # PostgreSQL sees to its own
    written = [
        path
        for path in platform.folder.rglob("*")
        if not path.is_relative_to(database) and path.name != "up.log"  # of these tests
    ]
    modes = {folder: (platform.folder / folder).stat().st_mode & 0o777 for folder in FOLDERS}
    assert modes == dict.fromkeys(FOLDERS, 0o700)
    assert [path for path in written if path.exists() and path.stat().st_mode & 0o077] == []


def test_password_reset_link_is_not_logged(platform, client):
    """It runs without a terminal here."""
    client.ask("POST", "users/password-resets/", 202, json={"username": "operator"})

    logs = platform.folder / "logs"
    mailed = "Sent e-mail 'Your password at platform.localhost': it is lost"
    wait_for(lambda: mailed in (logs / "housekeeping-1.log").read_text())
    said = "".join(path.read_text() for path in logs.glob("*.log"))
    assert re.findall(r"password-resets/\w{20,}", said) == []
