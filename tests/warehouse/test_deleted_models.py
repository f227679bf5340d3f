"""What is deleted is worked on no more, and who waited for it hears."""

from apps.warehouse.models import Model, Snapshot
from apps.warehouse.services.models import restore_models


def made(client_of, person, upload, cube) -> tuple:
    models = client_of("models", person)
    created = models.post("/model/", {"name": "cube"}).json()
    upload(created, cube)
    return models, created


def names(queued) -> list[str]:
    return sorted({name for name, _ in queued()})


def test_deleted_model_leaves_the_analysis_queue_and_wakes_waiting_slices(
    client_of, person, upload, cube, queued, run_jobs
):
    models, created = made(client_of, person, upload, cube)
    assert names(queued) == ["analyse_model"]

    assert models.delete(created["uri"]).status_code == 204

    assert "analyse_model" not in names(queued)
    assert "start_waiting_slices" in names(queued)  # whoever waits for it hears that it is gone
    run_jobs()
    assert Model.objects.get().status == "processing"


def test_deleting_a_model_cancels_its_queued_snapshots(
    client_of, person, upload, cube, queued, run_jobs
):
    models, created = made(client_of, person, upload, cube)
    run_jobs()
    models.post(f"{created['uri']}snapshot/", {"width": 64, "height": 64})
    assert "render_snapshot" in names(queued)

    models.delete(created["uri"])

    assert "render_snapshot" not in names(queued)
    assert set(Snapshot.objects.filter(is_default=False).values_list("status", flat=True)) <= {
        "error"
    }


def test_restored_model_is_analysed(client_of, person, upload, cube, queued, run_jobs):
    models, created = made(client_of, person, upload, cube)
    models.delete(created["uri"])
    run_jobs()

    assert restore_models(models=Model.objects.all()) == 1
    run_jobs()

    assert models.get(created["uri"]).json()["status"] == "processed"
