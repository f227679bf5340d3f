"""The embedded PostgreSQL: starts, crashes, left-overs, and where it may live."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from core.postgres import embedded, hang_detection
from core.postgres.embedded import EmbeddedPostgres, PostgresFailed
from tests.waiting import TIMEOUT, wait_for

pytestmark = pytest.mark.slow

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="is about root")


@pytest.fixture
def data_dir():
    """A folder that nobody else may enter, in memory."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm"))
    yield folder
    EmbeddedPostgres(folder).stop()
    shutil.rmtree(folder)


@pytest.fixture
def server(data_dir):
    server = EmbeddedPostgres(data_dir, durable=False)
    server.start(wait=60)
    server.create_database()
    yield server
    server.stop()


def ask(server: EmbeddedPostgres, query: str):
    with psycopg.connect(server.url()) as connection:
        return connection.execute(query).fetchone()


def postmaster_pid(server: EmbeddedPostgres) -> int:
    return int((server.cluster / "postmaster.pid").read_text().split()[0])


def starter(data_dir: Path, *then: str) -> list[str]:
    """A command that starts the server below `data_dir` in a process of its own."""
    lines = [
        "from pathlib import Path",
        "from core.postgres.embedded import EmbeddedPostgres",
        f"server = EmbeddedPostgres(Path({str(data_dir)!r}), durable=False)",
        *(then or ["server.start(wait=60)"]),
    ]
    return [sys.executable, "-c", "\n".join(lines)]


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(embedded.__file__).parents[2])}


def kill_postmaster(server: EmbeddedPostgres) -> int:
    pid = postmaster_pid(server)
    os.kill(pid, signal.SIGKILL)
    return pid


def processes_of(server: EmbeddedPostgres) -> list[str]:
    """The command names of all processes that work in the cluster's folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink() == server.cluster:
                found.append((process / "comm").read_text().strip())
        except OSError:
            continue
    return found


def test_first_start_creates_cluster_with_pgvector_and_unprivileged_role(server):
    facts = ask(
        server,
        "SELECT current_user::text, rolsuper, rolcreatedb, pg_encoding_to_char(encoding),"
        " datlocprovider::text, current_setting('data_checksums'),"
        " current_setting('listen_addresses'), '[3,4]'::vector <-> '[0,0]'"
        " FROM pg_roles, pg_database WHERE rolname = current_user"
        " AND datname = current_database()",
    )

    assert facts == ("platform", False, True, "UTF8", "b", "on", "", 5.0)


def test_second_start_adopts_the_running_server(server):
    pid = postmaster_pid(server)

    other = EmbeddedPostgres(server.data_dir)
    other.start(wait=10)

    assert postmaster_pid(other) == pid
    assert ask(other, "SHOW fsync") == ("off",)


def test_create_database_is_idempotent(server):
    with psycopg.connect(server.url()) as connection:
        connection.execute("CREATE TABLE kept (id int)")

    server.create_database()

    assert ask(server, "SELECT count(*) FROM kept") == (0,)


def test_committed_rows_survive_server_kill(data_dir):
    server = EmbeddedPostgres(data_dir)
    server.start(wait=60)
    server.create_database()
    with psycopg.connect(server.url(), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (id int)")
        for number in range(100):
            connection.execute("INSERT INTO kept VALUES (%s)", [number])
        killed = kill_postmaster(server)

    server.start(wait=60)

    assert ask(server, "SELECT count(*), sum(id) FROM kept") == (100, 4950)
    assert postmaster_pid(server) != killed


def test_server_starts_with_stale_pid_file_that_names_a_live_process(server):
    account = server.cluster.stat()
    sleeper = subprocess.Popen(
        ["sleep", "60"],
        **({"user": account.st_uid, "group": account.st_gid} if os.geteuid() == 0 else {}),
    )
    pid_file = server.cluster / "postmaster.pid"
    lines = pid_file.read_text().split("\n")
    kill_postmaster(server)
    pid_file.write_text("\n".join([str(sleeper.pid), *lines[1:]]))

    try:
        server.start(wait=60)
        assert ask(server, "SELECT 1") == (1,)
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


@pytest.mark.parametrize("content", ["", "1", "\0\0\0", "-5\n/data\n"])
def test_server_starts_with_truncated_pid_file(server, content):
    kill_postmaster(server)
    (server.cluster / "postmaster.pid").write_text(content)

    server.start(wait=60)

    assert ask(server, "SELECT 1") == (1,)


def test_first_start_discards_unfinished_cluster_of_interrupted_start(data_dir):
    unfinished = data_dir / "postgres" / "new-abc"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")

    EmbeddedPostgres(data_dir, durable=False).start(wait=60)

    assert not unfinished.exists()


def test_concurrent_starts_create_one_server(data_dir):
    starters = [subprocess.Popen(starter(data_dir), env=environment()) for _ in range(4)]

    statuses = [process.wait(timeout=TIMEOUT) for process in starters]

    assert statuses == [0, 0, 0, 0]
    assert len(list((data_dir / "postgres").glob("cluster"))) == 1
    log = "".join(path.read_text() for path in (data_dir / "postgres" / "log").iterdir())
    assert log.count("starting PostgreSQL") == 1


def test_stop_leaves_no_process_and_no_socket(server):
    assert "postgres" in processes_of(server)

    server.stop()

    assert processes_of(server) == []
    assert list(server.socket_dir.iterdir()) == []
    assert not server.running()


def test_foreground_server_shuts_down_on_sigterm(data_dir):
    server = EmbeddedPostgres(data_dir)
    process = subprocess.Popen(
        starter(data_dir, "raise SystemExit(server.run())"), env=environment()
    )
    wait_for(server.running)

    process.send_signal(signal.SIGTERM)

    assert process.wait(timeout=TIMEOUT) == 0
    assert processes_of(server) == []


def test_foreground_server_exits_with_error_when_postmaster_dies(data_dir):
    server = EmbeddedPostgres(data_dir)
    process = subprocess.Popen(
        starter(data_dir, "raise SystemExit(server.run())"), env=environment()
    )
    wait_for(server.running)

    kill_postmaster(server)

    assert process.wait(timeout=TIMEOUT) == 1
    server.start(wait=60)
    assert server.running()


def test_server_stops_when_its_foreground_process_is_killed(data_dir):
    server = EmbeddedPostgres(data_dir)
    process = subprocess.Popen(
        starter(data_dir, "raise SystemExit(server.run())"), env=environment()
    )
    wait_for(server.running)

    process.kill()
    process.wait()

    wait_for(lambda: not processes_of(server))
    assert not server.running()


# Its server is killed after three seconds of silence.
IMPATIENT = (
    "import core.postgres.hang_detection",
    "core.postgres.hang_detection.HANG_TIMEOUT = 3.0",
)


def stop_all(server: EmbeddedPostgres) -> None:
    """SIGSTOP to every process of the server, the first one first."""
    first = postmaster_pid(server)
    for pid in [first, *hang_detection.processes_of(server.cluster)]:
        with suppress(ProcessLookupError):  # it had done its work, as one for a connection has
            os.kill(pid, signal.SIGSTOP)


@pytest.mark.parametrize("stop", [stop_all, lambda s: os.kill(postmaster_pid(s), signal.SIGSTOP)])
def test_unresponsive_server_is_killed_without_loss_of_committed_rows(data_dir, stop):
    server = EmbeddedPostgres(data_dir)
    process = subprocess.Popen(
        starter(data_dir, *IMPATIENT, "raise SystemExit(server.run())"), env=environment()
    )
    wait_for(server.running)
    server.create_database()
    # As outside of tests; there, a commit is not waited for.
    with psycopg.connect(server.url(), options="-c synchronous_commit=on") as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS number")

    stop(server)

    assert process.wait(timeout=TIMEOUT) == 1
    server.start(wait=60)
    assert ask(server, "SELECT number FROM kept") == (7,)


def test_start_kills_unresponsive_server_left_by_earlier_process(server):
    stop_all(server)

    process = subprocess.run(
        starter(server.data_dir, *IMPATIENT, "server.start(wait=60)"),
        env=environment(),
        capture_output=True,
    )

    assert process.returncode == 0, process.stderr
    assert b"does not serve: killing it" in process.stderr
    assert server.running()


def test_stop_kills_server_that_ignores_shutdown(server, monkeypatch):
    monkeypatch.setattr(embedded, "ORDERLY", 0.5)
    monkeypatch.setattr(embedded, "AT_ONCE", 0.5)
    stop_all(server)

    server.stop()

    assert processes_of(server) == []


def test_hang_timer_expires_only_when_recovering_server_makes_no_progress(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(hang_detection.time, "monotonic", lambda: now[0])
    watched = hang_detection.HangTimer()

    def lasts(effort) -> bool:
        now[0] += hang_detection.POLL_INTERVAL
        return watched.lasts(effort)

    busy = iter(range(0, 100_000, hang_detection.MIN_TICKS))
    assert not any(lasts(lambda: (next(busy), 0)) for _ in range(1000))
    assert not any(lasts(lambda: None) for _ in range(1000))  # it waits for the disk
    assert [lasts(lambda: (1, 1)) for _ in range(12)] == [False] * 11 + [True]
    watched.over()
    assert [lasts(None) for _ in range(11)] == [False] * 10 + [True]


@pytest.mark.parametrize(
    ("error", "state"),
    [
        (
            "FATAL:  the database system is not yet accepting connections",
            hang_detection.State.RECOVERS,
        ),
        ("FATAL:  the database system is starting up", hang_detection.State.RECOVERS),
        ("FATAL:  sorry, too many clients already", hang_detection.State.SERVES),
        ("connection failed: Connection refused", hang_detection.State.SILENT),
        ("connection timeout expired", hang_detection.State.SILENT),
    ],
)
def test_server_state_is_derived_from_connection_error(error, state):
    assert hang_detection.state_of_error(error) == state


def test_socket_directory_is_short_and_private_when_data_path_is_long(data_dir):
    server = EmbeddedPostgres(data_dir / ("deep" * 20), durable=False)

    server.start(wait=60)

    try:
        server.create_database()
        status = server.socket_dir.stat()
        assert ask(server, "SELECT 1") == (1,)
        assert len(str(server.socket_dir)) < 100
        assert (status.st_mode & 0o777, status.st_uid) == (0o700, server.cluster.stat().st_uid)
    finally:
        server.stop()
        server.socket_dir.rmdir()


def test_start_rejects_socket_directory_accessible_to_other_users(data_dir):
    server = EmbeddedPostgres(data_dir / ("deep" * 20), durable=False)
    server.socket_dir.mkdir(mode=0o777)
    server.socket_dir.chmod(0o777)

    try:
        with pytest.raises(PostgresFailed, match="not a private folder"):
            server.start(wait=60)
    finally:
        server.socket_dir.rmdir()


def test_failed_start_reports_postgres_error(server):
    server.stop()
    (server.cluster / "PG_VERSION").write_text("9.6\n")

    with pytest.raises(PostgresFailed, match="initialized by PostgreSQL version 9.6"):
        server.start(wait=60)


@as_root
def test_root_keeps_cluster_in_private_data_dir_without_opening_it(server):
    server.data_dir.chmod(0o700)

    server.stop()
    server.start(wait=60)

    assert server.home == server.data_dir / "postgres"
    assert server.data_dir.stat().st_mode & 0o777 == 0o700
    assert server.cluster.stat().st_uid != 0


@as_root
def test_cluster_is_placed_elsewhere_when_root_lacks_dac_read_search(data_dir):
    elsewhere = Path(tempfile.mkdtemp(dir="/dev/shm"))
    command = starter(
        data_dir,
        "import core.postgres.embedded",
        f"core.postgres.embedded.ELSEWHERE = Path({str(elsewhere)!r})",
        "server.start(wait=60)",
        "print(server.home)",
        "server.stop()",
    )

    drop = "--bounding-set=-dac_read_search"
    done = subprocess.run(
        ["setpriv", drop, *command], env=environment(), capture_output=True, text=True
    )

    try:
        assert done.returncode == 0, done.stderr
        assert Path(done.stdout.strip()).parent == elsewhere
        assert "PostgreSQL does not run as root" in done.stderr
        assert not (data_dir / "postgres" / "cluster").exists()
    finally:
        shutil.rmtree(elsewhere)
