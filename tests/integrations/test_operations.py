"""Operations: asked of a provider, reported by it, told to the client."""

import json

import pytest
from django.db import connection

from apps.callbacks.models import Delivery
from apps.integrations.models import Operation
from core.outbound.webhook_signatures import is_signed
from tests.callbacks.conftest import receive

FAILURE = {"title": "The model encloses no volume.", "code": "NothingSolid", "details": {"n": 3}}


def test_provider_request_is_signed_with_the_service_secret(
    catalogue, order, part, provider, run_jobs
):
    service = catalogue(schema={"properties": {"merge": {"type": "boolean"}}})

    operation = order(service, {"merge": True})
    run_jobs()

    (request,) = provider.requests
    job = json.loads(request.body)
    assert (request.method, job["operation"]) == ("POST", operation)
    assert job["parameters"] == {"merge": True}
    assert (job["inputs"]["model"], job["inputs"]["name"]) == (part["uri"], "cube.stl")
    assert job["inputs"]["type"] == "stl"
    assert job["inputs"]["content"].startswith("http://files.platform.test/content/")
    assert job["upload"]["url"].startswith("http://files.platform.test/upload/operation/")
    assert job["callback"]["url"].startswith(f"{operation}report/?signature=")
    assert is_signed(service["secret"], request.headers, request.body)


def test_result_becomes_a_model_after_analysis(
    catalogue, order, part, integrations, answering, run_jobs, open_box, client_of, person
):
    service = catalogue()
    operation = order(service)
    run_jobs()
    provider = answering(service)

    provider.upload(open_box)
    taken = provider.report(
        status="complete",
        outputs={"receipt": {"filled": 1}, "content": "http://evil.example/"},
        result={"name": "cube-healed.stl", "type": "stl"},
    )
    between = integrations.get(operation).json()
    run_jobs()

    assert taken.status_code == 204
    assert (between["status"], between["outputs"], between["result"]) == ("processing", None, None)
    told = integrations.get(operation).json()
    assert told["status"] == "complete"
    assert told["outputs"]["content"].startswith("http://files.platform.test/content/")
    assert (told["outputs"]["type"], told["outputs"]["receipt"]) == ("stl", {"filled": 1})
    assert told["results"] == told["result"]
    model = client_of("models", person).get(told["result"]).json()
    assert (model["name"], model["status"]) == ("cube-healed.stl", "processed")
    assert model["parents"] == [part["uri"]]
    assert [attempt["answer"] for attempt in told["attempts"]] == ["200"]


def test_result_of_other_type_is_stored_and_completes_immediately(
    catalogue, order, integrations, answering, run_jobs, client_of, person
):
    service = catalogue(type="file-conversion")
    operation = order(service)
    run_jobs()
    provider = answering(service)

    provider.upload(b"ply\n")
    provider.report(status="complete", result={"type": "ply"})

    told = integrations.get(operation).json()
    assert (told["status"], told["outputs"]["type"]) == ("complete", "ply")
    assert told["outputs"]["content"].endswith(told["outputs"]["content"].split("?")[1])
    model = client_of("models", person).get(told["result"]).json()
    assert (model["status"], model["name"]) == ("inoperable", "cube.stl")


def test_operation_completes_without_result_file(
    catalogue, order, integrations, answering, run_jobs
):
    service = catalogue(type="inspection")
    operation = order(service)
    run_jobs()

    answering(service).report(status="complete", outputs={"receipt": {"walls": 1.2}})

    told = integrations.get(operation).json()
    assert told["outputs"] == {
        "content": None,
        "type": None,
        "receipt": {"walls": 1.2},
        "models": [],
    }
    assert (told["status"], told["result"]) == ("complete", None)


def test_provider_error_is_shown_on_the_operation(
    catalogue, order, integrations, answering, run_jobs
):
    service = catalogue()
    operation = order(service)
    run_jobs()

    answering(service).report(status="error", outputs=FAILURE)

    told = integrations.get(operation).json()
    assert (told["status"], told["outputs"], told["results"]) == ("error", FAILURE, None)


def test_operation_emits_progress_and_final_callbacks(catalogue, order, answering, run_jobs):
    with receive() as listener:
        service = catalogue()
        operation = order(service, callback={"url": listener.url})
    run_jobs()
    provider = answering(service)

    provider.report(status="processing")  # a moment after the provider accepted
    for _ in range(3):
        provider.report(status="processing")  # at once again: told together
    at_once = told()
    provider.report(status="error", outputs=FAILURE)

    working = {"uri": operation, "status": "processing"}
    assert at_once == [working]
    assert told()[:2] == [working, working]
    assert told()[2]["outputs.code"] == "NothingSolid"
    assert len(told()) == 3


def test_frequent_progress_reports_are_coalesced_per_second(catalogue, order, answering, run_jobs):
    with receive() as listener:
        service = catalogue()
        order(service, callback={"url": listener.url})
    run_jobs()
    provider = answering(service)

    for _ in range(4):
        provider.report(status="processing")
    at_once = len(told())
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE dramatiq.queue SET available_at = now()"
            " WHERE message->>'actor_name' = 'tell_reports'"
        )
    done = run_jobs()

    assert (at_once, done, len(told())) == (1, ["tell_reports"], 2)


def told() -> list[dict]:
    """What the client is told, in order."""
    bodies = Delivery.objects.order_by("seq").values_list("event__body", flat=True)
    return [json.loads(body) for body in bodies]


def test_operation_waits_for_the_analysis_of_its_model(
    catalogue, integrations, client_of, person, upload, cube, run_jobs, provider
):
    model = client_of("models", person).post("/model/", {"name": "late"}).json()
    body = {"service": catalogue()["uri"], "inputs": {"model": model["uri"]}, "parameters": {}}
    integrations.post("/operation/", body)
    run_jobs()
    before = len(provider.requests)

    upload(model, cube)
    run_jobs()

    assert (before, len(provider.requests)) == (0, 1)


def test_operation_fails_when_its_model_is_invalid(
    catalogue, integrations, client_of, person, upload, run_jobs, provider
):
    model = client_of("models", person).post("/model/", {"name": "late"}).json()
    body = {"service": catalogue()["uri"], "inputs": {"model": model["uri"]}, "parameters": {}}
    operation = integrations.post("/operation/", body)["Location"]

    upload(model, b"rubbish")
    run_jobs()

    told = integrations.get(operation).json()
    assert (told["status"], told["outputs"]["code"]) == ("error", "ModelNotUsable")
    assert provider.requests == []


@pytest.mark.parametrize(
    ("change", "code", "field"),
    [
        (
            {"service": "http://integrations.platform.test/service/x/"},
            "resource-not-found",
            "service",
        ),
        ({"inputs": {}}, "empty-payload", "inputs"),
        ({"inputs": {"model": "http://a.example/"}}, "resource-not-found", "inputs.model"),
        ({"parameters": None}, "type-validation-error", "parameters"),
        ({"parameters": {"merge": 1}}, "type-validation-error", "parameters.merge"),
        ({"parameters": {"a": {"b": 2}}}, "property-value-not-in-allowed-values", "parameters.a.b"),
        ({"parameters": {"x": 1}}, "request-validation-error", "parameters.x"),
        ({"parameters": {"a": {}}}, "missing-parameter", "parameters.a.b"),
        ({"parameters": {"merge": "\0"}}, "type-validation-error", "parameters.merge"),
        ({"colour": "red"}, "request-validation-error", "colour"),
    ],
)
def test_invalid_operation_is_rejected_with_its_field(
    catalogue, integrations, part, change, code, field
):
    schema = {
        "properties": {
            "merge": {"type": "boolean"},
            "a": {"properties": {"b": {"maximum": 1}}, "required": ["b"]},
        },
        "additionalProperties": False,
    }
    service = catalogue(schema=schema)
    body = {"service": service["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}

    answer = integrations.post("/operation/", {**body, **change})

    error = answer.json()["errors"][0]
    assert (answer.status_code, error["code"], error["field"]) == (400, code, field)
    assert not Operation.objects.exists()


def test_operation_on_unreadable_model_is_rejected(catalogue, part, client_of, stranger):
    body = {"service": catalogue()["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}

    answer = client_of("integrations", stranger).post("/operation/", body)

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "inputs.model"


def test_operation_is_visible_only_to_owner_and_administrators(
    catalogue, order, client_of, stranger, operator
):
    operation = order(catalogue())

    assert client_of("integrations", stranger).get(operation).status_code == 404
    assert client_of("integrations", stranger).get("/operation/").json()["resources"] == []
    assert client_of("integrations", operator).get(operation).status_code == 200


def test_operations_are_filtered_by_status_model_type_and_service(
    catalogue, order, integrations, part
):
    operation = order(catalogue())

    def found(query: str) -> list[str]:
        return [row["uri"] for row in integrations.get(f"/operation/?{query}").json()["resources"]]

    assert found(f"filter[status]=processing&filter[model]={part['uri']}") == [operation]
    assert found("filter[type]=model-healing&search[service]=mend") == [operation]
    assert found("filter[status]=complete") == []


def test_report_is_rejected_after_owner_cancels_the_operation(
    catalogue, order, integrations, answering, run_jobs, provider
):
    service = catalogue()
    operation = order(service)
    run_jobs()

    cancelled = integrations.put(operation, {"status": "error"})
    again = integrations.put(operation, {"status": "error"})
    late = answering(service).report(status="complete")

    told = integrations.get(operation).json()
    assert (cancelled.status_code, again.status_code, late.status_code) == (204, 204, 409)
    assert (told["status"], told["outputs"]["code"]) == ("error", "Cancelled")
    assert len(provider.requests) == 1


def test_put_of_operation_accepts_only_cancellation(
    catalogue, order, integrations, answering, run_jobs
):
    service = catalogue()
    operation = order(service)
    same = integrations.put(operation, integrations.get(operation).json())
    done = integrations.put(operation, {"status": "complete"})
    other = integrations.put(operation, {"parameters": {"a": 1}})
    run_jobs()
    answering(service).report(status="complete")
    late = integrations.put(operation, {"status": "error"})

    assert (same.status_code, done.status_code, other.status_code) == (204, 400, 400)
    assert other.json()["errors"][0]["code"] == "cannot-set-property"
    assert (late.status_code, late.json()["errors"][0]["code"]) == (409, "operation-over")


def test_deleting_an_operation_revokes_its_permissions(
    catalogue, order, integrations, client_of, operator, stranger
):
    uri = order(catalogue())
    permission = {
        "holder": stranger.uri,
        "namespace": "integrations",
        "object": uri,
        "right": "read",
    }
    given = client_of("users", operator).post("/permissions/", permission)
    assert given.status_code == 201

    assert integrations.delete(uri).status_code == 204

    assert client_of("users", operator).get(given["Location"]).status_code == 404


def test_deleted_operation_rejects_reports(catalogue, order, integrations, answering, run_jobs):
    service = catalogue()
    operation = order(service)
    run_jobs()

    deleted = integrations.delete(operation)

    assert (deleted.status_code, integrations.get(operation).status_code) == (204, 404)
    assert answering(service).report(status="complete").status_code == 404


def test_idempotent_retry_creates_one_operation(catalogue, integrations, part):
    body = {"service": catalogue()["uri"], "inputs": {"model": part["uri"]}, "parameters": {}}
    key = {"Idempotency-Key": "k"}

    first = integrations.post("/operation/", body, headers=key)
    second = integrations.post("/operation/", body, headers=key)

    assert (first.status_code, second.status_code) == (204, 204)
    assert first["Location"] == second["Location"]
    assert Operation.objects.count() == 1
