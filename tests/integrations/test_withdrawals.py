"""A built-in provider ends what nobody wants any more; others learn it when they report."""

import json

import pytest

from apps.integrations.builtin.catalogue import Offer
from apps.integrations.builtin.job_runner import JobRunner
from core.outbound.webhook_signatures import is_signed
from core.process import cancellation
from core.sandbox.sandbox import ResourceLimits
from tests.waiting import wait_for

OPERATION = "http://integrations.platform.test/operation/{}/"


@pytest.fixture
def built_in(provider, catalogue, settings):
    """The provider of the tests, as one that came with the platform."""
    service = catalogue()
    settings.PROVIDERS_URL = f"http://127.0.0.1:{provider.port}"
    return service


@pytest.mark.parametrize("end", ["cancel", "delete"])
def test_built_in_provider_receives_delete_when_operation_ends(
    built_in, provider, order, integrations, run_jobs, end
):
    uri = order(built_in)
    run_jobs()

    if end == "cancel":
        assert integrations.put(uri, {"status": "error"}).status_code == 204
    else:
        assert integrations.delete(uri).status_code == 204

    assert "withdraw_operation" in run_jobs()
    told = provider.requests[-1]
    assert (told.method, json.loads(told.body)) == ("DELETE", {"operation": uri})
    headers = {name.lower(): value for name, value in told.headers.items()}
    assert is_signed(built_in["secret"], headers, told.body)


def test_external_provider_receives_no_delete_request(
    catalogue, provider, order, integrations, run_jobs
):
    uri = order(catalogue())
    run_jobs()

    integrations.delete(uri)

    assert "withdraw_operation" not in run_jobs()
    assert {request.method for request in provider.requests} == {"POST"}


@pytest.fixture
def offer() -> Offer:
    return Offer(
        "looping", "Loops", "", {}, job="tests.core.hostile_jobs:loop", limits=ResourceLimits()
    )


def job(provider, number: int) -> dict:
    return {
        "operation": OPERATION.format(number),
        "inputs": {"content": provider.url, "name": "part.stl", "type": "stl"},
        "parameters": {},
        "callback": {"url": provider.url, "method": "POST"},
        "upload": {"url": provider.url, "method": "PUT"},
    }


def test_job_runner_cancels_running_jobs_and_drops_queued_ones(provider, offer, db):
    desk = JobRunner(1)
    for number in (1, 2, 3):
        assert desk.accept(offer, job(provider, number))
    wait_for(lambda: any(task.stop for task in cancellation.running_jobs()))

    desk.drop(OPERATION.format(2))
    desk.drop(OPERATION.format(1))

    third = OPERATION.format(3)
    wait_for(
        lambda: any(task.message == third and task.stop for task in cancellation.running_jobs())
    )
    desk.drop(third)
    wait_for(lambda: not cancellation.running_jobs())
    assert [request.method for request in provider.requests] == ["GET", "GET"]
