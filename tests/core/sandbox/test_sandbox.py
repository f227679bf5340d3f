"""The jail: whatever native code does, the worker lives and says why."""

import os
import time

import pytest

from core.sandbox.sandbox import JobInputError, JobInternalError, ResourceLimits, Sandbox

HOSTILE = "tests.core.hostile_jobs"
LIMITS = ResourceLimits(seconds=120, memory=1 << 30, file_size=1 << 20)


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def jail(request):
    jail = Sandbox(HOSTILE, limits=LIMITS, resident=request.param)
    yield jail
    jail.close()


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def hasty(request):
    jail = Sandbox(HOSTILE, limits=ResourceLimits(seconds=1.5), resident=request.param)
    yield jail
    jail.close()


def test_a_job_answers(jail):
    assert jail.run(f"{HOSTILE}:add", a=1, b=2) == {"sum": 3}


def test_a_refusal_keeps_its_code_and_its_sentence(jail):
    with pytest.raises(JobInputError) as caught:
        jail.run(f"{HOSTILE}:refuse")

    assert caught.value.entries() == [
        {"code": "too-blue", "title": "The part is too blue: paint it."}
    ]


def test_a_bug_is_not_an_error_of_the_file(jail):
    with pytest.raises(JobInternalError, match="a bug"):
        jail.run(f"{HOSTILE}:fail")


@pytest.mark.parametrize(
    ("job", "code"),
    [
        ("segfault", "crashed"),
        ("abort", "crashed"),
        ("leave", "crashed"),
        ("bomb", "memory-limit"),
    ],
)
def test_what_native_code_does_is_an_error_of_the_file_and_the_next_job_works(jail, job, code):
    with pytest.raises(JobInputError) as caught:
        jail.run(f"{HOSTILE}:{job}")

    assert caught.value.code == code
    assert jail.run(f"{HOSTILE}:add", a=2, b=2) == {"sum": 4}


@pytest.mark.parametrize("job", ["loop", "sleep"])
def test_a_job_that_does_not_end_is_ended(hasty, job):
    hasty.warm()
    begun = time.monotonic()

    with pytest.raises(JobInputError) as caught:
        hasty.run(f"{HOSTILE}:{job}")

    assert caught.value.code == "time-limit"
    assert time.monotonic() - begun >= 1.5
    assert hasty.run(f"{HOSTILE}:add", a=2, b=2) == {"sum": 4}


def test_a_job_may_take_so_much_of_the_processor_and_sleep_as_long_as_it_likes():
    jail = Sandbox(HOSTILE, limits=LIMITS, resident=True)
    try:
        assert jail.run(f"{HOSTILE}:nap", processor=0.5) == "rested"
        with pytest.raises(JobInputError) as caught:
            jail.run(f"{HOSTILE}:loop", processor=0.5)
        assert caught.value.code == "time-limit"
        assert jail.run(f"{HOSTILE}:add", a=2, b=2, processor=0.5) == {"sum": 4}
    finally:
        jail.close()


@pytest.mark.parametrize("first", ["begin", "begin_badly"])
def test_what_a_child_makes_once_is_made_before_its_first_job(first):
    jail = Sandbox(HOSTILE, limits=LIMITS, resident=True, first=f"{HOSTILE}:{first}")
    try:
        assert jail.run(f"{HOSTILE}:tell_done") == ["begin"]
    finally:
        jail.close()


def test_a_job_that_fills_the_disk_is_ended(jail, tmp_path):
    with pytest.raises((JobInputError, JobInternalError)):
        jail.run(f"{HOSTILE}:fill_disk", path=tmp_path / "filler", folder=tmp_path)

    assert (tmp_path / "filler").stat().st_size <= LIMITS.file_size


def test_what_a_library_prints_is_not_taken_for_an_answer(jail):
    assert jail.run(f"{HOSTILE}:print_noise") == "the truth"


def test_progress_is_told(jail):
    heard = []

    assert jail.run(f"{HOSTILE}:count_up", progress=heard.append) == "done"

    assert heard == sorted(heard)
    assert len(heard) >= 3


def test_a_job_tells_facts_beside_its_progress(jail):
    heard = []

    jail.run(f"{HOSTILE}:tell_height", progress=lambda done, **facts: heard.append((done, facts)))

    assert heard == [(0.25, {"height": 12.5})]


def test_only_a_resident_jail_keeps_its_process():
    resident, forked = Sandbox(HOSTILE, resident=True), Sandbox(HOSTILE)

    kept = {resident.run(f"{HOSTILE}:own_pid") for _ in range(2)}
    fresh = {forked.run(f"{HOSTILE}:own_pid") for _ in range(2)}

    assert (len(kept), len(fresh)) == (1, 2)
    resident.close()
    forked.close()


def test_a_stopped_worker_leaves_no_child_in_the_middle_of_a_job(jail):
    def stop(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        jail.run(f"{HOSTILE}:count_up", progress=stop)

    assert jail.run(f"{HOSTILE}:add", a=1, b=1) == {"sum": 2}


def test_the_child_has_no_secrets_in_its_environment(jail, monkeypatch):
    monkeypatch.setenv("DATABASE_URL", "postgresql://secret")
    jail.close()

    assert jail.run("os:getenv", key="DATABASE_URL") is None
    assert os.environ["DATABASE_URL"] == "postgresql://secret"
