"""Times of resources are the database's, whatever the clocks of web and workers say."""

from datetime import UTC, datetime, timedelta

import pytest
from django.apps import apps
from django.db import connection, models

from apps.erp.models import Material
from core.model_fields import DatabaseTimeField
from ops.management.commands import doctor
from tests.core.queue.test_lease import ONE, line, listener  # noqa: F401  fixtures
from tests.erp.conftest import bureau, confirm, erp, key_of, make  # noqa: F401  fixtures

SKEWS = [timedelta(hours=3), timedelta(hours=-3)]


def database_time() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        return cursor.fetchone()[0]


@pytest.fixture(params=SKEWS, ids=["ahead", "behind"])
def skewed(request, monkeypatch) -> timedelta:
    """A process whose clock is three hours off."""
    monkeypatch.setattr("django.utils.timezone.now", lambda: datetime.now(UTC) + request.param)
    return request.param


def test_model_has_the_times_of_the_database(client_of, person, upload, cube, run_jobs, skewed):
    models_client = client_of("models", person)
    began = database_time()

    created = models_client.post("/model/", {"name": "part"}).json()
    upload(created, cube)
    run_jobs()
    analysed = models_client.get(created["uri"]).json()
    assert models_client.put(created["uri"], {"name": "renamed"}).status_code == 204
    renamed = models_client.get(created["uri"]).json()

    assert (analysed["status"], renamed["name"]) == ("processed", "renamed")
    times = [began.isoformat(), created["created"], analysed["updated"], renamed["updated"]]
    times.append(database_time().isoformat())
    assert times == sorted(times)
    assert created["created"] == created["updated"] == renamed["created"]


def test_rows_created_and_moved_together_have_the_times_of_the_database(
    erp,  # noqa: F811
    bureau,  # noqa: F811
    confirm,  # noqa: F811
    skewed,
):
    began = database_time()
    confirm(quantity=3)
    Material.objects.bulk_create(Material(bureau_id=key_of(bureau), name=name) for name in "ab")

    for path in ("/line-item/", "/piece/", "/material/"):
        rows = erp.get(path).json()["resources"]
        assert rows
        for row in rows:
            assert began <= datetime.fromisoformat(row["created"]) <= database_time()
            assert row["created"] <= row["updated"] <= database_time().isoformat()


def test_instance_has_the_time_that_its_row_got(db, bureau, skewed):  # noqa: F811
    row = Material.objects.create(bureau_id=key_of(bureau), name="a")
    written = [row.created, row.updated]
    row.save(update_fields=["name", "updated"])
    written.append(row.updated)
    row.save()
    written.append(row.updated)

    stored = Material.objects.get(pk=row.pk)

    assert written == sorted(written)
    assert (row.created, row.updated) == (stored.created, stored.updated)


def test_every_automatic_time_is_the_databases():
    by_process = [
        f"{model.__name__}.{field.name}"
        for model in apps.get_models()
        if model.__module__.startswith(("apps.", "core."))
        for field in model._meta.fields
        if isinstance(field, models.DateTimeField)
        and (field.auto_now or field.auto_now_add)
        and not isinstance(field, DatabaseTimeField)
    ]

    assert by_process == [], "use core.model_fields.DatabaseTimeField"


def test_doctor_reports_machines_whose_clock_is_off(listener, line, monkeypatch):  # noqa: F811
    assert "of 1 machines are within 5 s" in doctor.clocks()
    ahead = datetime.now(UTC) + timedelta(hours=3)
    monkeypatch.setattr("core.queue.lease._clock", lambda: (ahead, "hall-2"))

    listener(ONE).take()

    with pytest.raises(doctor.Broken, match=r"hall-2 is 10,[78]\d\d s ahead of the database"):
        doctor.clocks()
