"""The sandbox: whatever native code does, the worker lives and says why."""

import os
import time

import pytest

from core.process import cancellation
from core.sandbox import sandbox as sandboxes
from core.sandbox.sandbox import JobInputError, JobInternalError, ResourceLimits, Sandbox

HOSTILE = "tests.core.hostile_jobs"
LIMITS = ResourceLimits(seconds=120, memory=1 << 30, file_size=1 << 20)


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def sandbox(request):
    sandbox = Sandbox(HOSTILE, limits=LIMITS, resident=request.param)
    yield sandbox
    sandbox.close()


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def hasty(request):
    sandbox = Sandbox(HOSTILE, limits=ResourceLimits(seconds=1.5), resident=request.param)
    yield sandbox
    sandbox.close()


def test_sandbox_returns_the_result_of_a_job(sandbox):
    assert sandbox.run(f"{HOSTILE}:add", a=1, b=2) == {"sum": 3}


def test_input_error_keeps_its_code_and_title(sandbox):
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:refuse")

    assert caught.value.entries() == [
        {"code": "too-blue", "title": "The part is too blue: paint it."}
    ]


def test_bug_in_job_raises_internal_error(sandbox):
    with pytest.raises(JobInternalError, match="a bug"):
        sandbox.run(f"{HOSTILE}:fail")


@pytest.mark.parametrize("resident", [False, True], ids=["forked", "resident"])
def test_job_that_is_cancelled_while_its_child_starts_is_not_begun(monkeypatch, resident):
    """There is no child yet that could be ended: as when an operation is deleted at once."""
    started = sandboxes.subprocess.Popen

    def cancelled(*arguments, **options):
        cancellation.cancel(cancellation.running_jobs())
        return started(*arguments, **options)

    sandbox = Sandbox(HOSTILE, limits=ResourceLimits(seconds=20), resident=resident)
    monkeypatch.setattr(sandboxes.subprocess, "Popen", cancelled)
    cancellation.register("one")
    begun = time.monotonic()
    try:
        with pytest.raises(cancellation.Cancelled):
            sandbox.run(f"{HOSTILE}:loop")
    finally:
        cancellation.unregister()
        sandbox.close()
    assert time.monotonic() - begun < 20  # the limit of the job


@pytest.mark.parametrize("pipe", [0, -1], ids=["first", "last"])
def test_endless_line_of_a_child_is_cut_off(sandbox, pipe):
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:write_endless_line", which=pipe)

    assert caught.value.code == "crashed"
    assert sandbox.run(f"{HOSTILE}:add", a=2, b=2) == {"sum": 4}


@pytest.mark.parametrize(
    ("job", "code"),
    [
        ("segfault", "crashed"),
        ("abort", "crashed"),
        ("leave", "crashed"),
        ("bomb", "memory-limit"),
    ],
)
def test_native_crash_is_an_input_error_and_the_next_job_runs(sandbox, job, code):
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:{job}")

    assert caught.value.code == code
    assert sandbox.run(f"{HOSTILE}:add", a=2, b=2) == {"sum": 4}


@pytest.mark.parametrize("job", ["loop", "sleep"])
def test_job_is_stopped_at_its_time_limit(hasty, job):
    hasty.warm()
    begun = time.monotonic()

    with pytest.raises(JobInputError) as caught:
        hasty.run(f"{HOSTILE}:{job}")

    assert caught.value.code == "time-limit"
    assert time.monotonic() - begun >= 1.5
    assert hasty.run(f"{HOSTILE}:add", a=2, b=2) == {"sum": 4}


def test_cpu_limit_stops_a_loop_but_not_a_sleeping_job():
    sandbox = Sandbox(HOSTILE, limits=LIMITS, resident=True)
    try:
        assert sandbox.run(f"{HOSTILE}:nap", processor=0.5) == "rested"
        with pytest.raises(JobInputError) as caught:
            sandbox.run(f"{HOSTILE}:loop", processor=0.5)
        assert caught.value.code == "time-limit"
        assert sandbox.run(f"{HOSTILE}:add", a=2, b=2, processor=0.5) == {"sum": 4}
    finally:
        sandbox.close()


@pytest.mark.parametrize("first", ["begin", "begin_badly"])
def test_setup_function_runs_once_before_the_first_job(first):
    sandbox = Sandbox(HOSTILE, limits=LIMITS, resident=True, first=f"{HOSTILE}:{first}")
    try:
        assert sandbox.run(f"{HOSTILE}:tell_done") == ["begin"]
    finally:
        sandbox.close()


def test_job_is_stopped_at_its_file_size_limit(sandbox, tmp_path):
    with pytest.raises((JobInputError, JobInternalError)):
        sandbox.run(f"{HOSTILE}:fill_disk", path=tmp_path / "filler", folder=tmp_path)

    assert (tmp_path / "filler").stat().st_size <= LIMITS.file_size


def test_printed_output_does_not_corrupt_the_job_result(sandbox):
    assert sandbox.run(f"{HOSTILE}:print_noise") == "the truth"


def test_job_progress_is_reported_in_ascending_order(sandbox):
    heard = []

    assert sandbox.run(f"{HOSTILE}:count_up", progress=heard.append) == "done"

    assert heard == sorted(heard)
    assert len(heard) >= 3


def test_job_reports_named_values_with_its_progress(sandbox):
    heard = []

    sandbox.run(
        f"{HOSTILE}:tell_height", progress=lambda done, **facts: heard.append((done, facts))
    )

    assert heard == [(0.25, {"height": 12.5})]


def test_only_persistent_sandbox_keeps_its_child_process():
    resident, forked = Sandbox(HOSTILE, resident=True), Sandbox(HOSTILE)

    kept = {resident.run(f"{HOSTILE}:own_pid") for _ in range(2)}
    fresh = {forked.run(f"{HOSTILE}:own_pid") for _ in range(2)}

    assert (len(kept), len(fresh)) == (1, 2)
    resident.close()
    forked.close()


def test_interrupted_job_does_not_affect_the_next_job(sandbox):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sandbox.run(f"{HOSTILE}:count_up", progress=stop)

    assert sandbox.run(f"{HOSTILE}:add", a=1, b=1) == {"sum": 2}


def test_sandbox_child_environment_has_no_secrets(sandbox, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    sandbox.close()

    assert sandbox.run("os:getenv", key="DATABASE_URL") is None
    assert os.environ["DATABASE_URL"] == "postgresql://secret"
