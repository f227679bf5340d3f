"""Pictures, over HTTP: their parameters, their end, and whose turn it is."""

import re

import pytest
from django.db import connection

from apps.warehouse.actors import snapshots
from apps.warehouse.actors.sandboxes import painter
from apps.warehouse.models import Snapshot
from core.queue import fair_queueing
from core.sandbox.sandbox import JobInputError, Sandbox
from ops.management.commands import doctor

pytestmark = pytest.mark.django_db

SMALL = {"width": 32, "samples": 0}


@pytest.fixture
def part(processed, cube) -> dict:
    return processed(cube)


@pytest.fixture
def slow(monkeypatch) -> None:
    """From here on every picture is a slow one."""
    monkeypatch.setitem(fair_queueing.QUICK, "renders", 0.0)


@pytest.fixture
def ask(models, part):
    """`ask(...)`: the URI of a new picture."""

    def post(**fields) -> str:
        answer = models.post(part["uri"] + "snapshot/", {**SMALL, **fields})
        assert answer.status_code == 201
        return answer["Location"]

    return post


@pytest.mark.parametrize(
    "body",
    [
        {"samples": 5001, "height": 769, "width": -1, "layer": -1, "color": "red", "x": 1},
        {"samples": True, "height": "9", "width": 1.5, "layer": 2**31, "color": 7, "u": False},
        {
            "samples": [],
            "height": {},
            "width": 1e300,
            "layer": 10**400,
            "slice_height": 0,
            "w": "1",
        },
        {"samples": 10**30, "height": -1, "width": 1025, "layer": "", "slice_height": 10**400},
    ],
)
def test_all_invalid_snapshot_parameters_are_reported_at_once(models, part, body):
    path = part["uri"] + "snapshot/"

    answer = models.post(path, body)

    assert answer.status_code == 400
    told = {error["field"] for error in answer.json()["errors"]}
    camera = {axis for axes in ("xyz", "uvw") if set(axes) & set(body) for axis in axes}
    wrong = camera - {"x"} if body.get("x") == 1 else camera
    assert told == (set(body) - set("xyzuvw")) | wrong
    assert Snapshot.objects.count() == 1


@pytest.mark.parametrize("number", ["1e999", "NaN", "-Infinity", "1" + 400 * "0"])
def test_camera_with_non_finite_numbers_is_rejected(models, part, number):
    body = f'{{"x": {number}, "y": 0, "z": 0, "u": 1, "v": {number}, "w": 0}}'

    answer = models.generic(
        "POST", part["uri"] + "snapshot/", body, content_type="application/json"
    )

    assert answer.status_code == 400
    assert Snapshot.objects.count() == 1


def test_snapshot_is_created_from_a_form_body(client_of, person, part):
    form = client_of("models", person)

    answer = form.post(
        part["uri"] + "snapshot/",
        "width=40&samples=0&u=1&v=1&w=-0.5&color=%23112233",
        content_type="application/x-www-form-urlencoded",
    )

    assert answer.status_code == 201
    picture = answer.json()
    assert (picture["width"], picture["height"], picture["w"]) == (40, 30, -0.5)


def test_put_of_unchanged_snapshot_is_accepted_and_changes_are_rejected(models, ask):
    uri = ask(u=1, v=2, w=3)
    picture = models.get(uri).json()

    assert models.put(uri, picture).status_code == 204
    answer = models.put(uri, {"width": 33, "u": 0, "callback": {"url": "http://example.com"}})

    assert answer.status_code == 400
    faults = {(error["field"], error["code"]) for error in answer.json()["errors"]}
    assert faults == {(name, "cannot-set-property") for name in ("width", "u", "callback")}
    assert models.get(uri).json() == picture


def test_processed_snapshot_can_be_deleted(models, ask, run_jobs):
    uri = ask()
    run_jobs()

    assert models.delete(uri).status_code == 204

    assert models.get(uri).status_code == 404
    assert Snapshot.objects.filter(is_default=False).count() == 0


def test_snapshot_deleted_before_rendering_is_not_rendered(models, ask, run_jobs):
    uri = ask()

    models.delete(uri)

    assert run_jobs() == []
    assert Snapshot.objects.filter(is_default=False).count() == 0


def test_default_snapshot_cannot_be_deleted(models, part):
    default = Snapshot.objects.get(is_default=True)

    answer = models.delete(default.uri)

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "default-snapshot"


def test_reader_of_a_model_can_delete_only_their_own_snapshots(
    models, others, client_of, person, stranger, part, ask
):
    client_of("users", person).post(
        "/permissions/",
        {"holder": stranger.uri, "namespace": "models", "object": part["uri"], "right": "read"},
    )
    theirs = others.post(part["uri"] + "snapshot/", SMALL)["Location"]
    ours = ask()

    answer = others.delete(ours)

    assert answer.status_code == 403
    assert answer.json()["errors"][0]["details"]["right"] == "delete"
    assert others.delete(theirs).status_code == 204
    theirs = others.post(part["uri"] + "snapshot/", SMALL)["Location"]
    assert models.delete(theirs).status_code == 204


def test_equal_snapshots_are_rendered_once(models, ask, run_jobs, monkeypatch):
    first = ask()
    run_jobs()

    # From here on no child process may be asked.
    monkeypatch.setattr("core.sandbox.sandbox.Sandbox.run", None)
    second = ask()
    run_jobs()

    one, two = models.get(first).json(), models.get(second).json()
    assert (one["status"], two["status"]) == ("processed", "processed")
    assert one["content"] == two["content"]


def test_rendering_driver_reports_its_mesa_version():
    assert re.search(r"Mesa \d+\.\d+", painter.run("apps.warehouse.jobs.rendering:driver"))


def test_snapshot_is_rendered_again_when_the_driver_changes(ask, run_jobs, monkeypatch):
    ask()
    run_jobs()
    monkeypatch.setattr("apps.warehouse.actors.snapshots._driver", lambda: "another Mesa")

    ask()
    run_jobs()

    keys = Snapshot.objects.filter(is_default=False).values_list("key", flat=True)
    assert len(set(keys)) == 2


def test_model_without_extent_is_processed_and_its_snapshot_fails(models, analysed_model, point):
    model = analysed_model(point)

    assert (model["status"], model["analyses.manifold"], model["snapshot"]) == (
        "processed",
        False,
        None,
    )
    (picture,) = models.get(model["uri"] + "snapshot/").json()["resources"]
    assert (picture["status"], picture["errors"][0]["code"]) == ("error", "nothing-to-show")


def test_slow_snapshot_is_rendered_without_shadows(models, ask, run_jobs, monkeypatch, caplog):
    run, asked = Sandbox.run, []

    def hurried(sandbox, job, **more):
        if job.endswith(":draw_file"):
            asked.append((more["view"]["samples"], more["processor"]))
            if more["view"]["samples"]:
                raise JobInputError("time-limit", "It took too long.")
        return run(sandbox, job, **more)

    monkeypatch.setattr(Sandbox, "run", hurried)
    uri, plain = ask(samples=64), ask(samples=0)
    run_jobs()

    simple, same = models.get(uri).json(), models.get(plain).json()
    assert (simple["status"], simple["samples"]) == ("processed", 64)
    assert simple["content"] == same["content"]  # found by its key
    assert asked == [(64, 60.0), (0, 60.0)]
    assert "using the simple renderer" in caplog.text


def test_snapshot_without_shadows_fails_at_the_time_limit(models, ask, run_jobs, monkeypatch):
    def hurried(sandbox, job, **more):
        if job.endswith(":draw_file"):
            raise JobInputError("time-limit", "It took too long.")
        return "a driver"

    monkeypatch.setattr(Sandbox, "run", hurried)
    monkeypatch.setattr("apps.warehouse.actors.snapshots._driver", lambda: "another Mesa")
    uri = ask(samples=3)
    run_jobs()

    told = models.get(uri).json()
    assert (told["status"], told["errors"][0]["code"]) == ("error", "time-limit")


# ---------------------------------------------------------------- whose turn it is


def in_turn() -> list[tuple[str, str]]:
    """Queue and subject of what waits, in the order in which it will be claimed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT queue_name, subject FROM dramatiq.queue ORDER BY turn, position")
        return cursor.fetchall()


def test_slow_snapshots_are_queued_fairly_between_users(
    models, others, client_of, person, stranger, part, slow
):
    client_of("users", person).post(
        "/permissions/",
        {"holder": stranger.uri, "namespace": "models", "object": part["uri"], "right": "read"},
    )
    path = part["uri"] + "snapshot/"
    many = [models.post(path, {**SMALL, "layer": n})["Location"] for n in range(10)]
    one = others.post(path, SMALL)["Location"]

    order = [many[0], many[1], one]
    waiting = in_turn()
    assert {queue for queue, _ in waiting} == {"renders_slow"}
    assert [key for _, key in waiting][:3] == [uri.split("/")[-2] for uri in order]


def test_deleted_snapshot_leaves_the_queue(models, ask, slow):
    first, second = ask(layer=0), ask(layer=1)

    models.delete(first)

    assert [key for _, key in in_turn()] == [second.split("/")[-2]]


def test_fast_snapshots_are_queued_at_once(ask, queued):
    ask()
    ask()

    assert [name for name, _ in queued()] == ["render_snapshot"] * 2


def test_default_camera_is_returned_and_reproduces_the_view(models, ask, run_jobs):
    chosen = ask()
    before = models.get(chosen).json()
    run_jobs()

    told = models.get(chosen).json()
    camera = {axis: told[axis] for axis in "xyzuvw"}
    again = ask(**camera, slice_height=told["slice_height"])
    run_jobs()
    same = models.get(again).json()

    assert [before[axis] for axis in "xyzuvw"] == [None] * 6
    assert all(isinstance(value, float) for value in camera.values())
    assert camera["y"] < -20 and camera["v"] > 0  # from in front of the cube
    assert {axis: same[axis] for axis in "xyzuvw"} == camera
    assert models.put(chosen, told).status_code == 204
    assert models.put(chosen, {axis: None for axis in "xyzuvw"}).status_code == 204  # as before


def test_equal_snapshot_returns_the_camera_of_the_rendered_one(models, ask, run_jobs):
    first, second = ask(u=0, v=1, w=0), ask(u=0, v=1, w=0)
    run_jobs()

    told = [models.get(uri).json() for uri in (first, second)]

    assert [told[0][axis] for axis in "xyz"] == [told[1][axis] for axis in "xyz"]
    assert told[0]["x"] == 10.0


@pytest.mark.gl
def test_doctor_renders_the_sample_part():
    assert doctor.rendering().startswith("drew the sample part, ")


def test_doctor_reports_the_reason_when_rendering_fails(monkeypatch):
    broken = Sandbox(
        "apps.warehouse.jobs.rendering", resident=True, environment={"PYTHONOPTIMIZE": "1"}
    )
    monkeypatch.setattr(snapshots, "painter", broken)

    with pytest.raises(doctor.Broken, match="RendererUnavailable: .*run without -O"):
        doctor.rendering()

    broken.close()
