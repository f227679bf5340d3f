"""Processes are killed in the middle of their work, and nothing is lost."""

import json
import os
import signal
import socket
import threading
from collections import Counter

import pytest

from tests.live.client import Client, ball
from tests.live.processes import TIMEOUT, Platform, alive, kill, wait_for, words

pytestmark = [
    pytest.mark.live,
    pytest.mark.long,
    pytest.mark.single("it kills the workers and the database of its machine"),
]

MESSAGE = """
    SELECT message_id FROM dramatiq.queue
    WHERE message::text LIKE %s AND message->>'actor_name' = %s
"""
START = (
    "SELECT extract(epoch FROM last)::float FROM core_jobstart WHERE message = %s AND starts = %s"
)
EVENTS = "SELECT count(*) FROM callbacks_event WHERE uri = %s"

DATA = ball(20, bumps=12)


def key(uri: str) -> str:
    return uri.split("/")[-2]


def message_about(platform: Platform, uri: str, actor: str):
    """The queue's message with which `actor` works on a resource."""
    return wait_for(lambda: platform.ask(MESSAGE, f"%{key(uri)}%", actor))[0][0]


def started(platform: Platform, message, number: int) -> float:
    """When the job of a message began for this time."""
    return wait_for(lambda: platform.ask(START, message, number))[0][0]


def assert_taken_back(platform: Platform, message) -> None:
    """The job is begun again, before the queue misses the last one's heartbeat.

    Whoever keeps the leases gives it back, or the slot's next process where it is quicker.
    """
    started(platform, message, 2)
    logs = platform.folder / "logs"
    # supervisord writes the logs: a line may come later than what it tells of.
    wait_for(lambda: any(f"Requeued {message}:" in log.read_text() for log in logs.glob("*.log")))


def told(heard, uri: str) -> list[str]:
    """The states that the receiver was told of a resource, a repeated event once."""
    events = {r.headers["webhook-id"]: json.loads(r.body) for r in list(heard.requests)}
    return [body["status"] for body in events.values() if body["uri"] == uri]


def assert_told(platform: Platform, heard, uri: str, states: list[str]) -> None:
    """The receiver hears these states of a resource; there are no further events of it."""
    wait_for(lambda: len(told(heard, uri)) == len(states))
    assert told(heard, uri) == states
    assert platform.ask(EVENTS, uri) == [(len(states),)]


# ---------------------------------------------------------------- workers


def test_worker_killed_during_analysis_is_replaced_and_job_completes(
    platform: Platform, client: Client, received_callbacks
):
    worker, sandbox = platform.slot("meshes-1")
    for process in sandbox:
        process.suspend()  # so that the job goes on until its worker is killed
    model = client.model(ball(40, bumps=3), received_callbacks.url)
    message = message_about(platform, model, "analyse_model")
    started(platform, message, 1)

    kill(worker)

    assert_taken_back(platform, message)
    assert client.settled(model)["status"] == "processed"
    assert_told(platform, received_callbacks, model, ["processed"])
    assert not any(alive(process) for process in sandbox)
    wait_for(lambda: platform.incoming == [])


def test_worker_killed_during_rendering_is_replaced_and_job_completes(
    platform: Platform, client: Client, received_callbacks
):
    model = client.model(ball(40, bumps=5))
    client.settled(model)
    order = {"samples": 500, "callback": {"url": received_callbacks.url, "method": "POST"}}
    snapshot = client.ask("POST", f"{model}snapshot/", 201, json=order).headers["Location"]
    message = message_about(platform, snapshot, "render_snapshot")
    wait_for(lambda: client.read(snapshot)["progress"] > 0)
    worker, sandbox = platform.slot("renders-slow-1")

    kill(worker)

    assert_taken_back(platform, message)
    assert client.settled(snapshot)["status"] == "processed"
    assert_told(platform, received_callbacks, snapshot, ["processed"])
    assert not any(alive(process) for process in sandbox)
    wait_for(lambda: platform.incoming == [])


def test_worker_killed_during_slicing_is_replaced_and_job_completes(
    platform: Platform, client: Client, received_callbacks
):
    model = client.model(ball(80, bumps=7))
    client.settled(model)
    row = client.slice(model, client.config(), received_callbacks.url)
    message = message_about(platform, row, "slice_model")
    engine = wait_for(lambda: [p for p in platform.processes() if "prusa-slicer" in words(p)])[0]
    group = os.getpgid(engine.parent().pid)

    os.killpg(group, signal.SIGKILL)

    assert_taken_back(platform, message)
    wait_for(lambda: not alive(engine))
    assert client.settled(row)["status"] == "processed"
    assert_told(platform, received_callbacks, row, ["processing", "processed"])
    wait_for(lambda: platform.incoming == [])


def test_poison_message_fails_permanently_and_neighbouring_jobs_finish(
    platform: Platform, client: Client, received_callbacks
):
    worker, sandbox = platform.slot("meshes-1")
    for process in sandbox:
        process.suspend()
    poison = client.model(ball(350, bumps=4), received_callbacks.url)
    neighbours = [client.model(ball(20, bumps=bumps), received_callbacks.url) for bumps in (4, 6)]
    message = message_about(platform, poison, "analyse_model")

    for number in (1, 2, 3):
        started(platform, message, number)
        kill(platform.slot("meshes-1")[0])

    ended = client.settled(poison)
    assert (ended["status"], ended["errors"][0]["code"]) == ("error", "worker-died")
    assert "3 times" in ended["errors"][0]["title"]
    assert_told(platform, received_callbacks, poison, ["error"])
    for neighbour in neighbours:
        assert client.settled(neighbour)["status"] == "processed"
        assert_told(platform, received_callbacks, neighbour, ["processed"])


# ---------------------------------------------------------------- sender, web, database


def test_sender_killed_during_delivery_loses_no_callback(
    platform: Platform, client: Client, received_callbacks
):
    open_again = threading.Event()
    received_callbacks.answer = lambda request: open_again.wait(TIMEOUT) and 200
    data = ball(20, bumps=8)
    model = client.model(data, received_callbacks.url)
    client.settled(model)
    config = client.config()
    lanes = [model, *(client.slice(model, config, received_callbacks.url) for _ in range(4))]
    lanes += [client.model(data, received_callbacks.url) for _ in range(4)]
    for uri in lanes:
        client.settled(uri)
    assert received_callbacks.wait_for(len(lanes)) == len(lanes)  # one event of each is under way
    sent = set(received_callbacks.column("webhook-id"))

    kill(platform.program("send_callbacks")[0])
    open_again.set()

    for uri in lanes:
        assert_told(
            platform,
            received_callbacks,
            uri,
            ["processed"] if "/model/" in uri else ["processing", "processed"],
        )
    repeated = {
        one for one, times in Counter(received_callbacks.column("webhook-id")).items() if times > 1
    }
    assert repeated == sent
    bodies = {
        (request.headers["webhook-id"], request.body) for request in received_callbacks.requests
    }
    assert len(bodies) == len({one for one, _ in bodies})


def test_web_process_killed_during_upload_leaves_no_file_and_allows_retry(
    platform: Platform, client: Client
):
    data = ball(60, bumps=2)
    model, location = client.create_model()
    host, _, path = location.removeprefix("http://").partition("/")
    head = f"PUT /{path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(data)}\r\n"
    web = platform.program("project.asgi:application")
    with socket.create_connection(("127.0.0.1", platform.port)) as upload:
        upload.sendall(f"{head}Content-Type: application/octet-stream\r\n\r\n".encode())
        upload.sendall(data[: len(data) // 2])
        wait_for(lambda: platform.parts)

        for process in web:
            kill(process)

    wait_for(platform.answers)
    wait_for(lambda: platform.incoming == [])
    client.upload(location, data)
    assert client.settled(model)["status"] == "processed"


def test_database_killed_during_jobs_recovers_without_loss_or_duplicates(
    platform: Platform, client: Client, received_callbacks
):
    model = client.model(ball(60, bumps=11))
    client.settled(model)
    order = {"samples": 80, "callback": {"url": received_callbacks.url, "method": "POST"}}
    snapshot = client.ask("POST", f"{model}snapshot/", 201, json=order).headers["Location"]
    row = client.slice(model, client.config(), received_callbacks.url)
    wait_for(lambda: client.read(snapshot)["progress"] > 0)
    late, location = client.create_model(received_callbacks.url)
    answers: list[int] = []
    old = platform.postmaster()

    kill(old)
    wait_for(lambda: answers.append(client.try_upload(location, DATA)) or answers[-1] == 204)
    wait_for(lambda: platform.postmaster() != old and client.can_read(model))

    assert set(answers) <= {204, 503}
    for uri in (snapshot, row, late):
        assert client.settled(uri)["status"] == "processed"
    assert_told(platform, received_callbacks, snapshot, ["processed"])
    assert_told(platform, received_callbacks, row, ["processing", "processed"])
    assert_told(platform, received_callbacks, late, ["processed"])


# ---------------------------------------------------------------- the supervisor


def test_supervisor_killed_leaves_no_orphan_process():
    platform = Platform()
    try:
        platform.start()
        processes = platform.processes()
        assert platform.postmaster() in processes

        kill(processes[0])

        wait_for(lambda: not any(alive(process) for process in processes))
    finally:
        platform.stop()
