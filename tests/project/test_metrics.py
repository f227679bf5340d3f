"""`/metrics`: what operators watch, and who may."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from apps.callbacks import interface as callbacks
from apps.callbacks.models import Delivery, Origin, Outcome
from apps.erp.models import Agent
from core.actors import answer_probe
from core.postgres import connection_budget, oldest_snapshot
from core.queue import probes
from ops.management.commands import doctor
from tests.rows import row_of
from tests.waiting import wait_for

HOOK = "http://{}.example/hook"
BARE = settings.PARENT_HOST


@pytest.fixture
def scrape(client_of, operator):
    """`scrape()`: the samples of the platform, {(name, label values): value}."""

    def run():
        answer = client_of("users", operator).get("/metrics", SERVER_NAME=BARE)
        assert answer.status_code == 200
        assert answer["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
        families = text_string_to_metric_families(answer.content.decode())
        samples = [sample for family in families for sample in family.samples]
        return {(sample.name, *sample.labels.values()): sample.value for sample in samples}

    return run


def subscribe_and_emit(owner, host, number):
    uri = f"http://models.platform.test/model/{host}-{number}/"
    callbacks.subscribe(uri=uri, url=HOOK.format(host), method="POST", owner_id=owner.pk)
    callbacks.emit(uri=uri, owner_id=owner.pk, changes={"status": "processed"})


def test_callback_metrics_are_grouped_by_origin_state_and_outcome(scrape, person):
    for number in range(3):
        subscribe_and_emit(person, "well", number)
    subscribe_and_emit(person, "slow", 1)
    for number in range(2):
        subscribe_and_emit(person, "away", number)
    Origin.objects.filter(origin__contains="slow").update(slow=8)
    Origin.objects.filter(origin__contains="away").update(probe_at=timezone.now())
    first, second = Delivery.objects.filter(origin__origin__contains="well").order_by("uuid")[:2]
    for delivery, outcome, count in ((first, "500", 7), (second, "500", 2), (first, "200", 1)):
        Outcome.objects.create(
            delivery=delivery,
            outcome=outcome,
            count=count,
            first_at=timezone.now(),
            last_at=timezone.now(),
            ms=1,
        )
    Delivery.objects.filter(pk=first.pk).update(state="delivered")
    Delivery.objects.filter(pk=second.pk).update(state="expired")

    found = scrape()

    assert {key[1:]: value for key, value in found.items() if "callbacks" in key[0]} | {
        ("reachable",): found["platform_callbacks_pending", "reachable"],
        ("slow",): found["platform_callbacks_pending", "slow"],
        ("unreachable",): found["platform_callbacks_pending", "unreachable"],
    } == {
        ("reachable",): 1,
        ("slow",): 1,
        ("unreachable",): 2,
        ("pending",): 4,
        ("delivered",): 1,
        ("expired",): 1,
        ("cancelled",): 0,
        ("500",): 9,
        ("200",): 1,
        (): 0,
    }


def test_metrics_report_age_of_oldest_pending_callback(scrape, person):
    subscribe_and_emit(person, "well", 1)
    Delivery.objects.update(since=timezone.now() - timedelta(hours=1))

    found = scrape()

    assert 3590 < found["platform_callbacks_oldest_pending_seconds", "reachable"] < 3700
    assert found["platform_callbacks_oldest_pending_seconds", "unreachable"] == 0


def test_metrics_count_queued_jobs_and_resources_by_status(
    scrape, client_of, person, upload, run_jobs, cube
):
    api = client_of("models", person)
    before = scrape()
    uploaded = api.post("/model/", {"name": "part"}).json()
    api.post("/model/", {"name": "never uploaded"})
    answer_probe.send_with_options(args=("default", "", ""), delay=60_000)
    upload(uploaded, cube)

    queued = scrape()
    run_jobs()
    done = scrape()

    assert ("platform_queue_jobs", "meshes", "queued") not in before
    assert queued["platform_queue_jobs", "meshes", "queued"] == 1
    assert queued["platform_queue_jobs", "default", "delayed"] == 1
    assert queued["platform_resources", "model", "processing"] == 2
    assert done["platform_resources", "model", "processing"] == 1
    assert done["platform_resources", "model", "processed"] == 1


def test_metrics_report_agents(scrape, db):
    agent = row_of(Agent, seen=timezone.now(), permits_refused=3, report_delay=4.5)

    found = scrape()

    assert found["platform_agent_online", agent.uri] == 1
    assert found["platform_agent_permits_refused", agent.uri] == 3
    assert found["platform_agent_report_delay_seconds", agent.uri] == 4.5


def test_metrics_report_free_disk_space_and_event_streams(scrape):
    found = scrape()

    assert found["platform_disk_free_bytes",] > 1024**2
    assert found["platform_event_streams",] == 0


def test_metrics_are_denied_to_other_users(client_of, person):
    assert client_of("users").get("/metrics", SERVER_NAME=BARE).status_code == 401
    assert client_of("users", person).get("/metrics", SERVER_NAME=BARE).status_code == 403
    for service in ("models", "users", "data"):
        assert client_of(service, person).get("/metrics").status_code == 404


def test_age_of_the_probe_of_each_queue_is_a_metric(scrape):
    probes.send_probes(answer_probe, ["meshes"])
    assert ("platform_queue_probe_age_seconds", "meshes") in scrape()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE core_canary SET sent = now() - interval '91 s'")
    assert scrape()["platform_queue_probe_age_seconds", "meshes"] > probes.ALARM
    with pytest.raises(doctor.Broken, match=r"meshes \(91 s\)"):
        doctor.queue_probes()

    probes.record_probe("meshes", str(uuid4()))

    assert scrape()["platform_queue_probe_age_seconds", "meshes"] < 60
    assert doctor.queue_probes().startswith("the oldest of 1 completed")


@pytest.mark.django_db(transaction=True)
def test_oldest_snapshot_is_reported_by_metrics_and_doctor(scrape, monkeypatch):
    assert scrape()["platform_oldest_snapshot_seconds",] == 0
    backup = connection.copy()
    try:
        with backup.cursor() as cursor:
            cursor.execute("SET application_name = 'nightly backup'")
            cursor.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            cursor.execute("SELECT pg_backend_pid()")
            (process,) = cursor.fetchone()

        assert scrape()["platform_oldest_snapshot_seconds",] > 0
        assert doctor.snapshots().startswith(f"nightly backup (server process {process})")
        monkeypatch.setattr(oldest_snapshot, "ALARM", 0.0)
        with pytest.raises(doctor.Broken, match=rf"pg_terminate_backend\({process}\)"):
            doctor.snapshots()
        monkeypatch.undo()
    finally:
        backup.close()
    wait_for(lambda: oldest_snapshot.oldest_snapshot() is None)
    assert doctor.snapshots() == "none is held"


@pytest.mark.django_db(transaction=True)
def test_doctor_reports_exhausted_connection_budget(monkeypatch):
    before = connection_budget.room()
    wait_for(lambda: doctor.connections().startswith(f"{connection_budget.room().now} of "))
    assert f" of {before.most} are taken" in doctor.connections()
    worker = connection.copy()
    try:
        with worker.cursor() as cursor:
            cursor.execute("SET application_name = 'worker_lease'")
        monkeypatch.setattr(connection_budget, "WORKER", before.most)

        assert connection_budget.room().may >= before.most
        with pytest.raises(doctor.Broken, match="larger max_connections"):
            doctor.connections()
    finally:
        worker.close()
