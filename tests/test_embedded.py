"""The database that the tests share."""

import os
import subprocess
import sys

from django.db import connection

from tests.cluster import DATABASE, ROOT
from tests.live.processes import OWN


def test_test_database_has_no_idle_in_transaction_timeout(db):
    """What the tests' database is, is set by a fixture that another could hide."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)
    assert connection.settings_dict["TEST"]["TEMPLATE"] == DATABASE


def test_attack_tests_start_no_test_database():
    environment = {name: value for name, value in os.environ.items() if name not in OWN}
    program = "import os, tests.attacks; print('TEST_DATABASE' in os.environ)"
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={**environment, "PYTHONPATH": ".:platform"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert run.stdout == "False\n"
