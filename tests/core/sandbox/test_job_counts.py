"""Jobs that start threads and write files without end."""

import pytest

from core.sandbox.sandbox import MAX_FILES, JobInputError, ResourceLimits, Sandbox

HOSTILE = "tests.core.hostile_jobs"


@pytest.fixture(scope="module", params=[False, True], ids=["forked", "resident"])
def sandbox(request):
    sandbox = Sandbox(HOSTILE, limits=ResourceLimits(seconds=60), resident=request.param)
    yield sandbox
    sandbox.close()


def test_job_that_starts_threads_without_end_is_ended(sandbox):
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:start_threads")

    assert caught.value.code == "crashed"
    assert sandbox.run(f"{HOSTILE}:add", a=1, b=2) == {"sum": 3}


def test_result_of_a_job_with_too_many_files_is_refused(sandbox, tmp_path):
    few, many = tmp_path / "few", tmp_path / "many"
    for folder in (few, many):
        folder.mkdir()

    assert sandbox.run(f"{HOSTILE}:write_files", path=few, count=5, folder=few) == "done"
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:write_files", path=many, count=MAX_FILES + 1, folder=many)

    assert caught.value.code == "output-limit"
    assert len(list(few.iterdir())) == 5


def test_job_that_writes_files_without_end_is_ended_though_it_reports_progress(sandbox, tmp_path):
    with pytest.raises(JobInputError) as caught:
        sandbox.run(f"{HOSTILE}:write_files_forever", path=tmp_path, folder=tmp_path)

    assert caught.value.code == "output-limit"
