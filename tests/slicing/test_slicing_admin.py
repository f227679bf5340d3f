"""The operators' pages of slicing: found, read, cancelled, sliced again, lifted, never edited."""

import pytest
from django.test import Client

from apps.slicing.models import Association, Constraint, Slice
from core.queue.row_jobs import fail_permanently

pytestmark = pytest.mark.django_db


@pytest.fixture
def pages(operator):
    operator.is_superuser = True
    operator.save()
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": operator.username, "password": "correct horse battery"})
    return client


@pytest.fixture
def bound(slicing, part) -> Association:
    rules = {"raft": {"equals": True}}
    made = slicing.post("/constraint/", {"name": "raft only", "parameters": rules}).json()
    slicing.post("/constraint-model/", {"constraint": made["uri"], "model_uri": part["uri"]})
    return Association.objects.get()


def act(pages, page: str, action: str, *rows) -> list[str]:
    body = {"action": action, "_selected_action": [row.pk for row in rows]}
    answer = pages.post(f"/slicing/{page}/", body, follow=True)
    return [str(message) for message in answer.context["messages"]]


@pytest.mark.parametrize(
    "page",
    [
        "config/?q=draft&engine__exact=slic3r",
        "slice/?q=ada&status__exact=queued",
        "constraint/?q=raft",
        "association/?q=raft",
    ],
)
def test_admin_lists_are_filtered_and_searched(pages, bound, order, config, model, page):
    order(model, config)

    answer = pages.get(f"/slicing/{page}")

    assert answer.status_code == 200
    assert answer.context["cl"].result_count == 1


def test_admin_slice_page_is_read_only(pages, order, config, model):
    order(model, config)

    page = pages.get(f"/slicing/slice/{Slice.objects.get().pk}/change/").content.decode()

    assert model["uri"] in page
    assert "_save" not in page


def test_admin_cancels_unfinished_slices(pages, slicing, order, config, model):
    made = order(model, config)

    assert act(pages, "slice", "cancel", Slice.objects.get()) == ["1 cancelled."]

    assert slicing.get(made["uri"]).status_code == 404


def test_admin_repeats_a_failed_slice_for_its_owner(pages, slicing, order, config, part):
    made = order(part, config)
    row = Slice.objects.get()
    fail_permanently("slice_model", str(row.pk), {"reason": "worker-died", "starts": 3})

    assert act(pages, "slice", "slice_again", row) == ["1 sliced again."]

    again, failed = slicing.get("/slice/").json()["resources"]
    assert (failed["uri"], failed["status"]) == (made["uri"], "error")
    assert (again["model"], again["config"]) == (made["model"], made["config"])
    assert (again["status"], again["user_uri"]) == ("queued", made["user_uri"])


def test_admin_reports_a_slice_that_cannot_be_repeated(pages, slicing, order, config, part):
    order(part, config)
    row = Slice.objects.get()
    fail_permanently("slice_model", str(row.pk), {"reason": "worker-died", "starts": 3})
    slicing.delete(config["uri"])

    told = act(pages, "slice", "slice_again", row)

    assert told[0] == "0 sliced again."
    assert "is not a config that you may use" in told[1]


@pytest.mark.parametrize("kind", [Constraint, Association])
def test_admin_lifts_constraints_and_associations(pages, slicing, order, config, part, bound, kind):
    page = kind.__name__.lower()
    body = {"model": part["uri"], "config": config["uri"]}
    assert slicing.post("/slice/", body).status_code == 409

    assert act(pages, page, "lift", kind.objects.get()) == ["1 lifted."]

    assert slicing.post("/slice/", body).status_code == 201
