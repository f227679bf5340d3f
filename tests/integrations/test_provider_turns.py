"""Turns of accounts at the built-in providers."""

import json
import threading

import pytest

from apps.integrations.builtin import job_runner
from apps.integrations.builtin.catalogue import HEALING
from apps.integrations.builtin.job_runner import JobRunner
from tests.waiting import wait_for


class Kernel:
    """Stands in for the sandbox: a job ends when the test lets it."""

    def __init__(self):
        self.begun: list[str] = []
        self._may_end: dict[str, threading.Event] = {}

    def do(self, offer, job, sandbox):
        end = self._may_end.setdefault(job["operation"], threading.Event())
        self.begun.append(job["operation"])
        assert end.wait(60)

    def end(self, *operations: str) -> None:
        for operation in operations:
            self._may_end.setdefault(operation, threading.Event()).set()


@pytest.fixture
def kernel(monkeypatch):
    own = Kernel()
    monkeypatch.setattr(job_runner, "do", own.do)
    return own


def accept(runner: JobRunner, account: str, operation: str) -> bool:
    return runner.accept(HEALING, {"operation": operation, "account": account})


def test_accounts_take_turns_at_the_built_in_providers(kernel):
    runner = JobRunner(1)
    many = [f"many-{number}" for number in range(50)]
    for operation in many:
        assert accept(runner, "many", operation)
    wait_for(lambda: kernel.begun == ["many-0"])

    accept(runner, "one", "one-0")
    kernel.end("many-0", "many-1", "one-0")

    wait_for(lambda: len(kernel.begun) == 4)
    assert "one-0" in kernel.begun[:3]
    kernel.end(*many)
    wait_for(lambda: len(kernel.begun) == 51)  # or the rest would begin in the next test


def test_no_account_has_all_workers_of_the_built_in_providers(kernel):
    runner = JobRunner(2)
    accept(runner, "many", "many-0")
    accept(runner, "many", "many-1")
    wait_for(lambda: kernel.begun == ["many-0"])

    accept(runner, "one", "one-0")

    wait_for(lambda: kernel.begun == ["many-0", "one-0"])
    kernel.end("many-0", "one-0", "many-1")
    wait_for(lambda: kernel.begun == ["many-0", "one-0", "many-1"])


def test_full_queue_gives_up_jobs_of_the_account_with_most(kernel, monkeypatch):
    monkeypatch.setattr(job_runner, "MAX_WAITING", 4)
    runner = JobRunner(1)
    many = [f"many-{number}" for number in range(4)]
    assert all(accept(runner, "many", operation) for operation in many)
    wait_for(lambda: kernel.begun == ["many-0"])
    assert not accept(runner, "many", "many-4")

    assert accept(runner, "one", "one-0")

    kernel.end("one-0", *many)
    wait_for(lambda: set(kernel.begun) == {"many-0", "many-1", "many-2", "one-0"})
    wait_for(lambda: accept(runner, "many", "many-3"))  # sent again, it is done
    wait_for(lambda: "many-3" in kernel.begun)


@pytest.mark.parametrize("built_in", [True, False])
def test_only_built_in_providers_receive_the_account(
    catalogue, provider, order, run_jobs, settings, person, built_in
):
    service = catalogue()
    if built_in:
        settings.PROVIDERS_URL = f"http://127.0.0.1:{provider.port}"
    order(service)
    run_jobs()

    job = json.loads(provider.requests[-1].body)
    assert ("account" in job) == built_in
    if built_in:
        assert job["account"] == str(person.turns_account)
