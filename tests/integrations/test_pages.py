"""Operators' pages of the integrations service."""

import pytest
from django.test import Client

from apps.integrations.models import Operation, Service

FORM = {
    "name": "Mender",
    "description": "",
    "type": "model-healing",
    "group_key": "",
    "service_url": "https://mender.example/",
    "service_method": "POST",
    "schema": "{}",
}


@pytest.fixture
def pages(operator) -> Client:
    operator.is_superuser = True
    operator.save()
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": "root", "password": "correct horse battery"})
    return client


def act(pages, page: str, action: str, row) -> list[str]:
    body = {"action": action, "_selected_action": [str(row.pk)]}
    answer = pages.post(f"/integrations/{page}/", body, follow=True)
    return [str(message) for message in answer.context["messages"]]


def test_admin_creates_ends_and_restores_a_service(pages):
    wrong = pages.post(
        "/integrations/service/add/",
        {**FORM, "service_url": "http://10.0.0.1/", "schema": '{"type": 5}'},
    )
    made = pages.post("/integrations/service/add/", FORM, follow=True)
    service = Service.objects.get()
    act(pages, "service", "end", service)
    ended = Service.objects.get().deleted
    act(pages, "service", "bring_back", service)

    assert wrong.content.count(b"errorlist") == 2
    assert service.secret in made.content.decode().replace("&#x2B;", "+")
    assert ended is not None
    assert Service.objects.get().deleted is None
    assert service.secret not in pages.get("/integrations/service/").content.decode()


def test_admin_finds_retries_and_cancels_operations(pages, catalogue, order, provider, run_jobs):
    order(catalogue())
    run_jobs()
    row = Operation.objects.get()

    listed = pages.get("/integrations/operation/?q=mender&status__exact=processing")
    page = pages.get(f"/integrations/operation/{row.pk}/change/").content.decode()
    again = act(pages, "operation", "ask_again", row)
    run_jobs()
    cancelled = act(pages, "operation", "cancel", row)

    assert listed.context["cl"].result_count == 1
    assert row.model_uri in page
    assert "_save" not in page
    assert (again, cancelled) == (["1 are asked again."], ["1 cancelled."])
    assert len(provider.requests) == 2
    assert Operation.objects.get().outputs["code"] == "Cancelled"
