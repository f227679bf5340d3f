"""The catalogue of events: what the documentation says, what the code emits, and their schemas."""

import json
import re
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from jsonschema import Draft202012Validator

from apps.callbacks import interface as callbacks
from apps.warehouse.actors.analysis import analyse_model
from core.queue.row_jobs import fail_permanently
from core.state_machine import Stateful
from project.event_catalogue import SCHEMAS

PAGE = (Path(settings.BASE_DIR) / "docs" / "events.md").read_text()
DRAFT = {"engine": "slic3r", "parameters": {"print_quality": "low", "infill_density": 10}}


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def emitted(person):
    """`emitted()`: the types of the events so far, each of which fits its schema."""

    def read():
        events = callbacks.events_after(owner_id=person.pk, position=0, limit=100)
        for event in events:
            told = {"uri": event.uri, **event.changes}
            Draft202012Validator(SCHEMAS[event.type]).validate(told)
        return [event.type for event in events]

    return read


def arguments(queued, actor):
    """The argument of each message that waits for this actor."""
    return [json.loads(words)[0] for name, words in queued() if name == actor]


def _kind(model):
    """What a model's resources are called in URIs."""
    return getattr(model, "KIND", model._meta.model_name)


def test_every_event_type_is_documented_with_its_schema():
    sections = re.findall(r"^### ([\w.-]+)\n.*?^```json\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)

    assert {name: json.loads(schema) for name, schema in sections} == SCHEMAS


def test_every_reachable_status_of_event_resources_has_an_event_type():
    kinds = {name.partition(".")[0] for name in SCHEMAS}
    reached = {
        f"{_kind(model)}.{target}"
        for model in apps.get_models()
        if issubclass(model, Stateful) and _kind(model) in kinds
        for targets in model.TRANSITIONS.values()
        for target in targets
    }
    # No changes of state: a provider's sign of life, payments and decisions.
    payments = {"order-payment.received", "order-payment.reversed"}
    decisions = {f"print-decision.{decision}" for decision in ("as-is", "replaced", "ask")}
    assert reached | {"operation.processing"} | payments | decisions == set(SCHEMAS)


def test_openapi_webhooks_match_the_event_schemas(client_of):
    document = json.loads(client_of("callbacks").get("/openapi.json").content)

    bodies = {
        name: webhook["post"]["requestBody"]["content"]["application/json"]["schema"]
        for name, webhook in document["webhooks"].items()
    }
    assert bodies == SCHEMAS


def test_models_and_snapshots_emit_documented_events(models, upload, run_jobs, cube, emitted):
    for data in (cube, b"no model"):
        upload(models.post("/model/", {"name": "part"}).json(), data)
        run_jobs()

    assert emitted() == ["model.processed", "snapshot.processed", "model.error"]


def test_permanently_failed_snapshot_emits_documented_event(models, upload, queued, cube, emitted):
    model = models.post("/model/", {"name": "part"}).json()
    upload(model, cube)
    analyse_model.fn(*arguments(queued, "analyse_model"))

    (picture,) = arguments(queued, "render_snapshot")
    fail_permanently("render_snapshot", picture, {"reason": "internal-error"})

    assert emitted() == ["model.processed", "snapshot.error"]


@pytest.mark.engine
def test_slices_emit_documented_events(client_of, person, models, upload, run_jobs, cube, emitted):
    slicing = client_of("slicing", person)
    config = slicing.post("/config/curated/", DRAFT).json()
    for data in (cube, b"no model"):
        model = models.post("/model/", {"name": "part"}).json()
        order = {"model": model["uri"], "config": config["uri"]}
        assert slicing.post("/slice/", order).status_code == 201
        upload(model, data)
        run_jobs()

    types = [name for name in emitted() if name.startswith("slice.")]
    assert types == ["slice.processing", "slice.processed", "slice.error"]
