"""What is deleted: hidden at once, restored by operators, let go in the end."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from apps.warehouse.actors.retention import empty_deleted_models
from apps.warehouse.models import Model, Snapshot
from core.actors import clean_up
from core.files.storage import garbage_collection
from core.models import Blob, blob_name

pytestmark = pytest.mark.django_db


@pytest.fixture
def deleted(models, processed, cube) -> Model:
    """A model that was deleted long ago."""
    part = processed(cube)
    models.delete(part["uri"])
    row = Model.objects.get(pk=part["uri"].split("/")[-2])
    row.deleted = timezone.now() - timedelta(days=31)
    row.save()
    return row


@pytest.fixture
def pages(operator) -> Client:
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def act(pages: Client, action: str, *rows: Model):
    chosen = {"action": action, "_selected_action": [str(row.pk) for row in rows]}
    return pages.post("/warehouse/model/", chosen, follow=True)


def test_maintenance_removes_files_of_models_after_their_retention(deleted, run_jobs):
    files = [deleted.content_id, deleted.canonical_id, deleted.picture_id]

    clean_up.fn()
    run_jobs()
    clean_up.fn()
    assert all(default_storage.exists(blob_name(sha256)) for sha256 in files)
    Blob.objects.update(unused=timezone.now() - timedelta(hours=25))
    clean_up.fn()

    deleted.refresh_from_db()
    assert (deleted.content, deleted.canonical, deleted.picture) == (None, None, None)
    assert Snapshot.objects.count() == Blob.objects.count() == 0
    assert not any(default_storage.exists(blob_name(sha256)) for sha256 in files)


def test_recently_deleted_model_keeps_its_files(models, processed, cube, settings):
    part = processed(cube)
    models.delete(part["uri"])
    settings.DELETED_MODELS_RETENTION = timedelta(days=1)

    empty_deleted_models.fn()
    garbage_collection.remove_unused(kept=timedelta())

    assert Model.objects.get().content_id is not None
    assert Blob.objects.count() == 3


def test_file_shared_with_another_model_is_kept(deleted, models, processed, cube):
    twin = processed(cube)

    empty_deleted_models.fn()
    garbage_collection.remove_unused(kept=timedelta())

    assert models.get(twin["uri"]).json() == twin
    assert Blob.objects.count() == 3


def test_admin_restores_a_deleted_model_for_its_owner_only(
    models, others, client_of, person, stranger, processed, cube, pages
):
    part = processed(cube)
    client_of("users", person).post(
        "/permissions/",
        {"holder": stranger.uri, "namespace": "models", "object": part["uri"], "right": "read"},
    )
    assert others.get(part["uri"]).status_code == 200
    models.delete(part["uri"])

    page = act(pages, "restore", Model.objects.get())

    assert "1 restored." in page.content.decode()
    assert models.get(part["uri"]).json()["content"] == part["content"]
    assert others.get(part["uri"]).status_code == 404


def test_model_without_files_cannot_be_restored(models, deleted, pages):
    empty_deleted_models.fn()

    page = act(pages, "restore", deleted)

    assert "0 restored." in page.content.decode()
    assert models.get(deleted.uri).status_code == 404


def test_admin_deletes_a_model_and_keeps_its_files(models, processed, cube, pages):
    part = processed(cube)

    page = act(pages, "delete_chosen", Model.objects.get())

    assert "1 deleted." in page.content.decode()
    assert models.get(part["uri"]).status_code == 404
    assert Model.objects.get().content_id is not None


def test_admin_restarts_stuck_analyses_and_transformations(
    models, upload, processed, cube, pages, run_jobs
):
    waiting = models.post("/model/", {"name": "waiting"}).json()
    upload(waiting, cube)
    parent = processed(cube)
    steps = {"transformations": [{"type": "auto-translate"}]}
    child = models.post(parent["uri"] + "transformation/", steps).json()

    page = act(pages, "judge_again", *Model.objects.all())

    assert "2 sent to analysis." in page.content.decode()
    run_jobs()
    assert models.get(waiting["uri"]).json()["status"] == "processed"
    assert models.get(child["uri"]).json()["status"] == "processed"


def test_admin_retries_failed_snapshots_and_analyses(models, processed, cube, pages, queued):
    uri, failure = processed(cube)["uri"], [{"code": "worker-died", "title": "It died."}]
    picture = Snapshot.objects.create(model=Model.objects.get(), view={"width": 9, "height": 9})
    Snapshot.objects.update(status="error", errors=failure)
    body = {"action": "draw_again", "_selected_action": [str(picture.pk)]}

    drawn = pages.post("/warehouse/snapshot/", body, follow=True)
    Model.objects.update(status="error", errors=failure)
    judged = act(pages, "judge_again", Model.objects.get())

    assert "1 will be drawn again." in drawn.content.decode()
    assert "1 sent to analysis." in judged.content.decode()
    asked = models.get(uri).json()
    assert (asked["status"], asked["errors"]) == ("processing", None)
    picture.refresh_from_db()
    assert (picture.status, picture.errors) == ("processing", None)
    assert [actor for actor, _ in queued()] == ["render_snapshot", "analyse_model"]


@pytest.mark.parametrize(
    "page",
    [
        "model/?q=part&status=processed&origin=made",
        "model/?origin=uploaded",
        "snapshot/?status=processed",
        "rendition/?kind=preview",
    ],
)
def test_admin_lists_models_snapshots_and_renditions_with_filters(
    models, processed, cube, pages, page
):
    part = processed(cube)
    models.get(part["preview"])
    models.post(part["uri"] + "transformation/", {"transformations": [{"type": "auto-translate"}]})

    assert pages.get(f"/warehouse/{page}").status_code == 200
    for row in Model.objects.all():
        shown = pages.get(f"/warehouse/model/{row.pk}/change/").content.decode()
        assert row.name in shown
