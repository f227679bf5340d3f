"""Providers that lie, hang, answer twice, late or for another, or upload rubbish."""

import json
import time
from datetime import timedelta

import pytest
from django.utils import timezone

from apps.integrations import actors
from apps.integrations.models import Operation
from apps.warehouse.models import Model
from core.errors import ServiceError
from core.files.signed_urls import InvalidSignature, verify_upload
from core.outbound.webhook_signatures import signed_headers

RESULT = {"type": "stl", "name": "healed.stl"}


@pytest.fixture
def running(catalogue, order, answering, run_jobs):
    """An operation that its provider was asked for: its URI, and what the provider then does."""
    service = catalogue()
    operation = order(service)
    run_jobs()
    return operation, answering(service)


def outcome(client, operation: str) -> tuple[str, str | None]:
    told = client.get(operation).json()
    return told["status"], (told["outputs"] or {}).get("code")


def models() -> int:
    return Model.objects.filter(deleted=None).count()


def test_first_final_report_wins(running, integrations, cube, run_jobs):
    operation, provider = running
    provider.upload(cube)
    first = provider.report(status="complete", result=RESULT)
    second = provider.report(status="error", outputs={"title": "No.", "code": "No"})
    run_jobs()
    third = provider.report(status="complete", result=RESULT)
    progress = provider.report(status="processing")

    answers = [first, second, third, progress]
    assert [answer.status_code for answer in answers] == [204, 409, 409, 409]
    assert second.json()["errors"][0]["code"] == "already-reported"
    assert outcome(integrations, operation) == ("complete", None)
    assert models() == 2


@pytest.mark.parametrize("data", [b"", b"<html>Not found</html>", b"solid\n" * 1000])
def test_invalid_result_fails_the_operation_and_leaves_no_model(
    running, integrations, run_jobs, data
):
    operation, provider = running

    provider.upload(data)
    taken = provider.report(status="complete", result=RESULT)
    run_jobs()

    assert taken.status_code == 204
    assert outcome(integrations, operation) == ("error", "InvalidResult")
    assert models() == 1


def test_report_of_missing_result_upload_is_rejected(running, integrations, cube, run_jobs):
    operation, provider = running

    early = provider.report(status="complete", result=RESULT)
    provider.upload(cube)
    unnamed = provider.report(status="complete")
    right = provider.report(status="complete", result=RESULT)
    run_jobs()

    assert (early.status_code, early.json()["errors"][0]["code"]) == (409, "result-missing")
    assert (unnamed.status_code, unnamed.json()["errors"][0]["field"]) == (400, "result")
    assert right.status_code == 204
    assert outcome(integrations, operation) == ("complete", None)


def test_report_with_wrong_secret_or_url_is_rejected(running, catalogue, integrations):
    operation, provider = running
    other = catalogue(name="Other")
    url = provider.job["callback"]["url"]

    forged = provider.report(status="complete", secret=other["secret"])
    bare = provider.report(status="complete", url=url.partition("?")[0])
    unsigned = provider.client.post(url, {"status": "complete"})

    for answer in (forged, bare, unsigned):
        assert answer.status_code == 403
        assert answer.json()["errors"][0]["code"] == "SignatureDoesNotMatch"
    assert outcome(integrations, operation) == ("processing", None)


def test_report_of_another_operation_is_rejected(running, order, integrations, run_jobs):
    operation, provider = running
    first = provider.job["callback"]["url"]
    other = order(provider.service)
    run_jobs()
    second = provider.job["callback"]["url"]

    said = provider.report(status="complete", url=first, operation=other)
    crossed = provider.report(
        status="complete", url=f"{first.partition('?')[0]}?{second.partition('?')[2]}"
    )

    assert (said.status_code, said.json()["errors"][0]["code"]) == (409, "wrong-operation")
    assert crossed.status_code == 403
    assert outcome(integrations, operation) == ("processing", None)
    assert outcome(integrations, other) == ("processing", None)


def test_upload_url_is_bound_to_one_operation(running):
    _, provider = running
    url = provider.job["upload"]["url"].partition("files.platform.test")[2]
    path, _, query = url.partition("?")

    with pytest.raises(InvalidSignature):
        verify_upload(
            path[:-1] + ("0" if path[-1] != "0" else "1"), query, "application/octet-stream"
        )


def test_last_upload_before_the_report_is_used(running, integrations, cube, run_jobs):
    operation, provider = running

    provider.upload(b"rubbish")
    provider.upload(cube)
    provider.upload(cube)
    provider.report(status="complete", result=RESULT)
    run_jobs()
    with pytest.raises(ServiceError) as late:
        provider.upload(b"other")

    assert late.value.code == "already-reported"
    assert outcome(integrations, operation) == ("complete", None)


@pytest.mark.parametrize(
    ("report", "field"),
    [
        ({"status": "done"}, "status"),
        ({}, None),
        ({"status": "error"}, "outputs.title"),
        ({"status": "error", "outputs": {"title": "a", "code": 5}}, "outputs.code"),
        ({"status": "error", "outputs": {"title": "a" * 2000, "code": "A"}}, "outputs.title"),
        ({"status": "complete", "outputs": {"receipt": "a" * 70_000}}, "outputs"),
        ({"status": "complete", "outputs": {"receipt": "\0"}}, "outputs.receipt"),
        ({"status": "complete", "outputs": {"receipt": "\ud800"}}, "outputs.receipt"),
        ({"status": "complete", "outputs": []}, "outputs"),
        ({"status": "complete", "result": {"type": "exe"}}, "result.type"),
        ({"status": "complete", "result": {"type": "stl", "name": "\0"}}, "result.name"),
    ],
)
def test_invalid_report_is_rejected_with_its_field(running, integrations, report, field):
    operation, provider = running

    answer = provider.report(**report)

    assert answer.status_code == 400
    assert answer.json()["errors"][0].get("field") == field
    assert outcome(integrations, operation) == ("processing", None)


@pytest.mark.parametrize(
    "body",
    [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b'{"status": NaN}'],
    ids=["empty", "list", "open", "deep", "no text", "no number"],
)
def test_report_that_is_not_a_json_object_is_rejected(running, integrations, body):
    operation, provider = running
    headers = signed_headers(provider.service["secret"], id="1", payload=body)

    answer = provider.client.generic(
        "POST",
        provider.job["callback"]["url"],
        body,
        content_type="application/json",
        headers=headers,
    )

    assert answer.status_code == 400
    assert outcome(integrations, operation) == ("processing", None)


def test_old_report_cannot_be_replayed(running, integrations, monkeypatch):
    operation, provider = running
    hour_ago = time.time() - 3600
    with monkeypatch.context() as then:
        then.setattr("core.outbound.webhook_signatures.time.time", lambda: hour_ago)
        headers = signed_headers(provider.service["secret"], id="1", payload=b'{"status":"error"}')

    answer = provider.client.generic(
        "POST",
        provider.job["callback"]["url"],
        b'{"status":"error"}',
        content_type="application/json",
        headers=headers,
    )

    assert answer.status_code == 403


def test_unresponsive_provider_is_retried_then_fails_permanently(
    running, integrations, provider, poll_providers
):
    operation, _ = running
    poll_providers()  # it was heard of a moment ago
    quick = len(provider.requests)
    Operation.objects.update(heard=timezone.now() - timedelta(seconds=61))
    poll_providers()
    again = len(provider.requests)
    Operation.objects.update(deadline=timezone.now())
    poll_providers()

    assert (quick, again, len(provider.requests)) == (1, 2, 2)
    first, second = (json.loads(request.body)["operation"] for request in provider.requests)
    assert first == second
    assert provider.column("webhook-id")[0] == provider.column("webhook-id")[1]
    assert outcome(integrations, operation) == ("error", "TimeLimit")


def test_report_after_the_time_limit_is_rejected(running, integrations, poll_providers):
    operation, provider = running
    Operation.objects.update(heard=None, deadline=timezone.now())
    poll_providers()

    assert provider.report(status="complete").status_code == 409
    assert outcome(integrations, operation) == ("error", "TimeLimit")


@pytest.mark.parametrize("status", [500, 503, 429])
def test_unavailable_provider_is_retried_a_limited_number_of_times(
    catalogue, order, integrations, provider, run_jobs, poll_providers, monkeypatch, status
):
    provider.answer = lambda request: status
    monkeypatch.setattr(actors, "PROVIDER_PAUSES", (0, 0))

    operation = order(catalogue())
    run_jobs()
    poll_providers()
    poll_providers()

    told = integrations.get(operation).json()
    assert (told["status"], told["outputs"]["code"]) == ("error", "ProviderUnreachable")
    assert [attempt["answer"] for attempt in told["attempts"]] == [str(status)] * 3


def test_operation_continues_when_provider_recovers(
    catalogue, order, integrations, provider, run_jobs, poll_providers, monkeypatch
):
    answers = [503, 200]
    provider.answer = lambda request: answers.pop(0)
    monkeypatch.setattr(actors, "PROVIDER_PAUSES", (0,))

    operation = order(catalogue())
    run_jobs()
    poll_providers()

    told = integrations.get(operation).json()
    assert (told["status"], len(told["attempts"])) == ("processing", 2)


@pytest.mark.parametrize("status", [301, 400, 401, 404, 422])
def test_rejection_by_provider_is_not_retried(
    catalogue, order, integrations, provider, run_jobs, status
):
    provider.answer = lambda request: status

    operation = order(catalogue())
    run_jobs()

    told = integrations.get(operation).json()
    assert (told["status"], told["outputs"]["code"]) == ("error", "ProviderRefused")
    assert told["outputs"]["details"]["status"] == status
    assert len(provider.requests) == 1


def test_hanging_provider_request_times_out(
    catalogue, order, integrations, provider, run_jobs, poll_providers, monkeypatch
):
    monkeypatch.setattr(actors, "PROVIDER_TIMEOUT", 0.2)
    provider.answer = lambda request: time.sleep(1) or 200

    begun = time.monotonic()
    operation = order(catalogue())
    run_jobs()

    told = integrations.get(operation).json()
    assert time.monotonic() - begun < 1
    assert (told["status"], told["attempts"][0]["answer"]) == ("processing", "timeout")


def test_report_before_the_provider_response_is_kept(
    catalogue, order, integrations, provider, run_jobs, poll_providers, answering
):
    service = catalogue()
    playing = answering(service)
    operation = order(service)
    # The report arrives while the request is still open: nothing of the attempt may undo it.
    row = Operation.objects.get()
    run_jobs()
    playing.report(status="error", outputs={"title": "No.", "code": "Quick"})
    assert actors._note(row, actors.ProviderResponse("200", accepted=True)) is False
    assert outcome(integrations, operation) == ("error", "Quick")


def test_provider_at_private_address_is_never_requested(
    catalogue, order, integrations, provider, run_jobs, settings
):
    service = catalogue()
    settings.OUTBOUND_ALLOW = []

    operation = order(service)
    run_jobs()

    assert integrations.get(operation).json()["attempts"][0]["answer"] == "forbidden"
    assert provider.requests == []


def test_only_built_in_provider_may_have_private_address(
    catalogue, order, integrations, provider, run_jobs, poll_providers, settings
):
    service = catalogue()
    settings.OUTBOUND_ALLOW = []
    settings.PROVIDERS_URL = f"http://127.0.0.1:{provider.port}"

    operation = order(service)
    run_jobs()

    assert integrations.get(operation).json()["attempts"][0]["answer"] == "200"
    assert len(provider.requests) == 1


def test_operation_deleted_during_result_analysis_leaves_no_model(
    running, integrations, cube, run_jobs
):
    operation, provider = running
    provider.upload(cube)
    provider.report(status="complete", result=RESULT)
    cancelled = integrations.put(operation, {"status": "error"})

    integrations.delete(operation)
    run_jobs()

    assert cancelled.status_code == 409
    assert models() == 1
