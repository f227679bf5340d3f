"""The database that the tests share."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from core.postgres.embedded import EmbeddedPostgres
from core.postgres.server_config import PostgresFailed
from core.postgres.unprivileged import server_account
from tests.cluster import DATABASE, ROOT, require_own
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


@pytest.fixture
def copied(tmp_path):
    """A folder like a cluster that was copied without its owner or its modes."""
    cluster = tmp_path / "postgres" / "cluster"
    cluster.mkdir(parents=True)
    (cluster / "PG_VERSION").write_text("18\n")
    return cluster


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about root")


@as_root
def test_cluster_copied_by_another_user_is_rejected_with_the_command_that_mends_it(copied):
    copied.chmod(0o700)
    uid, gid = server_account()

    with pytest.raises(PostgresFailed) as error:
        EmbeddedPostgres(copied.parents[1]).start(wait=10)

    assert f"belongs to user 0, and PostgreSQL runs as user {uid}" in str(error.value)
    assert f"chown -R {uid}:{gid} {copied}" in str(error.value)


def test_cluster_copied_without_its_modes_is_rejected_with_the_command_that_mends_it(copied):
    os.chown(copied, *server_account())
    copied.chmod(0o755)

    with pytest.raises(PostgresFailed, match=f"chmod -R u=rwX,go= {copied}"):
        EmbeddedPostgres(copied.parents[1]).start(wait=10)


def test_cached_cluster_of_another_user_is_rejected_with_the_command_that_removes_it(copied):
    copied.chmod(0o755)

    with pytest.raises(PostgresFailed, match=f"another user has .* copied it.*: rm -r {copied}"):
        require_own(copied)
