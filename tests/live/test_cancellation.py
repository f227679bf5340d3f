"""What nobody wants any more frees its worker at once; -s says how quickly."""

import threading
import time
from collections.abc import Callable

import pytest

from tests.live.client import Client, ball
from tests.live.processes import Platform, children
from tests.waiting import TIMEOUT, wait_for

pytestmark = [
    pytest.mark.live,
    pytest.mark.slow,
    pytest.mark.single("it stops workers of its machine"),
]

# A job's start is written down before it, and taken back when its worker is done with it.
AT_WORK = """
    SELECT message_id FROM dramatiq.queue JOIN core_jobstart ON core_jobstart.message = message_id
    WHERE queue.message->>'actor_name' = %s AND queue_name = %s AND state = 'consumed'
"""
PENDING = "SELECT 1 FROM dramatiq.queue WHERE queue_name = %s AND state IN ('queued', 'consumed')"
STARTED = "SELECT 1 FROM core_jobstart WHERE message = %s"

SOON = 10.0  # seconds: one, on a machine that is busy with other things
QUICK = {"type": "rotate", "parametersRotate": {"x": 31, "y": 17, "z": 5}}
LONG = {"type": "auto-rotate", "parametersAutoRotate": {"build": {"x": 400, "y": 400, "z": 400}}}


@pytest.fixture(scope="module")
def large(client: Client) -> str:
    """A model of a million triangles, of which everything takes long."""
    model = client.model(ball(510, bumps=7))
    assert client.settled(model)["status"] == "processed"
    return model


@pytest.fixture
def free(platform: Platform, client: Client) -> Callable[..., None]:
    """`free(queue, actor, uri)`: delete what is at work there, and see its worker free."""

    def run(queue: str, actor: str, uri: str) -> None:
        message = wait_for(lambda: platform.ask(AT_WORK, actor, queue))[0][0]

        begun = time.monotonic()
        client.ask("DELETE", uri, 204)
        answered = time.monotonic()
        wait_for(lambda: not platform.ask(STARTED, message))

        freed = time.monotonic()
        assert freed - answered < SOON
        print(
            f"{queue} {actor}: free {freed - answered:.2f} s after the answer, "
            f"{freed - begun:.2f} s after the request"
        )

    return run


@pytest.fixture
def stop(platform: Platform) -> Callable[[str], None]:
    """`stop(slot)`: what its children do goes on until they are killed.

    A slow slot has none before its first job, which takes long enough by itself. What came before,
    as the picture that an upload gets, is done first: it would be stopped and never deleted.
    """

    def suspend(slot: str) -> None:
        queue = slot.rpartition("-")[0].replace("-", "_")
        wait_for(lambda: not platform.ask(PENDING, queue))
        for process in children(platform.worker(slot)):
            process.suspend()

    return suspend


def test_deleted_model_frees_its_worker_during_analysis(client: Client, free, stop):
    stop("meshes-1")

    free("meshes", "analyse_model", client.model(ball(30, bumps=2)))


@pytest.mark.parametrize(
    ("slot", "queue", "steps"),
    [("meshes-1", "meshes", [QUICK]), ("meshes-slow-1", "meshes_slow", [LONG] * 3)],
    ids=["quick", "slow"],
)
def test_deleted_child_model_frees_its_worker_during_transformation(
    client: Client, free, stop, large, slot, queue, steps
):
    stop(slot)
    order = {"transformations": steps}
    child = client.ask("POST", f"{large}transformation/", 201, json=order).headers["Location"]

    free(queue, "transform_model", child)


@pytest.mark.parametrize(
    ("slot", "queue", "samples"),
    [("renders-1", "renders", 0), ("renders-slow-1", "renders_slow", 900)],
)
def test_deleted_snapshot_frees_its_worker_during_rendering(
    client: Client, free, stop, large, slot, queue, samples
):
    stop(slot)
    order = {"samples": samples}
    snapshot = client.ask("POST", f"{large}snapshot/", 201, json=order).headers["Location"]

    free(queue, "render_snapshot", snapshot)


@pytest.mark.parametrize(("queue", "rings"), [("slices", 145), ("slices_slow", 510)])
def test_deleted_slice_frees_its_worker_during_slicing(
    client: Client, received_callbacks, free, queue, rings
):
    model = client.model(ball(rings, bumps=7))
    client.settled(model)

    free(queue, "slice_model", client.slice(model, client.config(), received_callbacks.url))


def test_deleted_run_frees_its_worker_during_packing(client: Client, free):
    free("packing", "pack_run", client.pack(90))


def test_deleted_operation_frees_its_worker_when_provider_does_not_answer(
    platform, client: Client, received_callbacks, free
):
    enough = threading.Event()
    received_callbacks.answer = lambda request: enough.wait(TIMEOUT) and 200
    operator = Client(platform)
    platform.ask(
        "UPDATE users_user SET is_superuser = true WHERE username = %s RETURNING 1",
        operator.person["username"],
    )
    offer = {"name": "Slow", "type": "model-healing", "service_url": received_callbacks.url}
    made = operator.ask("POST", "integrations/service/", 201, json=offer).json()
    model = client.settled(client.model(ball(6)))["uri"]
    order = {"service": made["uri"], "inputs": {"model": model}, "parameters": {}}
    answer = client.ask("POST", "integrations/operation/", 204, json=order)
    received_callbacks.wait_for(1)

    free("providers", "request_provider", answer.headers["Location"])

    enough.set()
