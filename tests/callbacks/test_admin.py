"""The operators' pages of callbacks: found, read, sent again, never edited."""

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils.html import escape

from apps.callbacks import interface as callbacks
from apps.callbacks.domain.sender import run_once
from apps.callbacks.models import Delivery, Origin, Subscription, WebhookSecret
from tests.callbacks.conftest import URI, receive, uri_of


@pytest.fixture
def operator(transactional_db):
    return get_user_model().objects.create_superuser("root", "root@receiver.example", "pass word 1")


@pytest.fixture
def pages(operator):
    client = Client(SERVER_NAME="admin.platform.test")
    client.post("/login/", {"username": operator.username, "password": "pass word 1"})
    return client


@pytest.fixture
def delivery(owner, received_callbacks):
    callbacks.subscribe(uri=URI, url=received_callbacks.url, method="POST", owner_id=owner.pk)
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={"status": "processed"})
    run_once()
    return Delivery.objects.get()


@pytest.mark.parametrize(
    "page",
    [
        "delivery/",
        "delivery/?q=model&state__exact=delivered&last_outcome=200",
        "subscription/?q=ada",
        "event/?q=ada&type__exact=model.processed",
        "origin/?q=127.0.0.1",
        "delivery/?q=ada&origin__unreachable_since__isempty=1",
        "webhooksecret/?q=ada",
    ],
)
def test_admin_lists_find_deliveries_and_related_rows(pages, delivery, page):
    answer = pages.get(f"/callbacks/{page}")

    assert answer.status_code == 200
    assert answer.context["cl"].result_count == 1


def test_admin_delivery_page_shows_request_and_outcomes(pages, delivery, received_callbacks):
    page = pages.get(f"/callbacks/delivery/{delivery.pk}/change/").content.decode()

    assert "&quot;status&quot;:&quot;processed&quot;" in page
    assert "200 x 1" in page
    request = received_callbacks.requests[0]
    assert f"POST {received_callbacks.url}\n" in page
    for name in ("webhook-id", "webhook-sequence", "webhook-attempt", "webhook-signature"):
        assert escape(f"{name}: {request.headers[name]}\n") in page
    assert "_save" not in page


def test_admin_pages_are_read_only(pages, delivery):
    change = pages.post(f"/callbacks/delivery/{delivery.pk}/change/", {"body": "{}"})
    delete = pages.post(
        f"/callbacks/subscription/{delivery.subscription_id}/delete/", {"post": "yes"}
    )

    assert (change.status_code, delete.status_code) == (403, 403)
    assert Subscription.objects.count() == 1


def test_admin_replays_a_delivery(pages, operator, delivery, received_callbacks):
    pages.post(
        "/callbacks/delivery/", {"action": "deliver_again", "_selected_action": [str(delivery.pk)]}
    )

    assert run_once() == 1
    assert received_callbacks.column("webhook-id") == [str(delivery.pk)] * 2
    delivery.refresh_from_db()
    assert (delivery.state, delivery.replayed_by) == ("delivered", operator)


def test_admin_disables_and_enables_a_subscription(pages, owner, received_callbacks):
    callbacks.subscribe(uri=URI, url=received_callbacks.url, method="POST", owner_id=owner.pk)
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={"status": "processing"})
    chosen = {"_selected_action": [str(Subscription.objects.get().pk)]}

    pages.post("/callbacks/subscription/", {"action": "disable", **chosen})
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={"status": "error"})
    assert run_once() == 0
    pages.post("/callbacks/subscription/", {"action": "enable", **chosen})
    callbacks.emit(uri=URI, owner_id=owner.pk, changes={"status": "processed"})
    run_once()

    states = Delivery.objects.order_by("seq").values_list("seq", "state")
    assert list(states) == [(1, "cancelled"), (3, "delivered")]


def test_admin_page_hides_the_signing_secret(pages, delivery):
    secret = WebhookSecret.objects.get()

    page = pages.get(f"/callbacks/webhooksecret/{secret.pk}/change/")

    assert page.status_code == 200
    assert secret.secret not in page.content.decode()


def test_admin_does_not_replay_delivery_of_disabled_subscription(pages, delivery):
    Subscription.objects.update(enabled=False)

    answer = pages.post(
        "/callbacks/delivery/",
        {"action": "deliver_again", "_selected_action": [str(delivery.pk)]},
        follow=True,
    )

    assert "0 will be sent again; 1 have no receiver any more." in answer.content.decode()
    assert run_once() == 0


def test_admin_event_page_links_to_its_deliveries(pages, delivery):
    page = pages.get(f"/callbacks/event/{delivery.event_id}/change/").content.decode()

    assert f"/callbacks/delivery/{delivery.pk}/change/" in page


def test_admin_probes_unreachable_origin_immediately(pages, owner):
    with receive() as heard:
        port = heard.port  # closed again below
    for number in range(3):
        url = f"http://127.0.0.1:{port}/"
        callbacks.subscribe(uri=uri_of(number), url=url, method="POST", owner_id=owner.pk)
        callbacks.emit(uri=uri_of(number), owner_id=owner.pk, changes={"status": "error"})
    run_once()
    origin = Origin.objects.get()
    page = pages.get(f"/callbacks/origin/{origin.pk}/change/").content.decode()
    assert "3 callbacks" in page

    with receive(port) as heard:
        before = run_once()
        probe = {"action": "probe_now", "_selected_action": [str(origin.pk)]}
        pages.post("/callbacks/origin/", probe)

        assert (before, run_once(), len(heard.requests)) == (0, 3, 3)


def test_admin_does_not_probe_origin_without_pending_deliveries(
    pages, delivery, received_callbacks
):
    probe = {"action": "probe_now", "_selected_action": [str(delivery.origin_id)]}

    answer = pages.post("/callbacks/origin/", probe, follow=True)

    assert "Nothing waits" in answer.content.decode()
    assert (run_once(), len(received_callbacks.requests)) == (0, 1)
