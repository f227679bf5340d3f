"""Stripe's protocol, played by a server that answers what Stripe's documentation shows."""

import hashlib
import hmac
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from apps.payment import actors
from apps.payment import interface as payment
from apps.payment.models import InvoiceEvent, PaymentMethod
from tests.conftest import A_SLICE
from tests.payment.conftest import DECEMBER

RECORDED = Path(__file__).with_name("stripe")
SECRET = "whsec_of_the_tests"  # noqa: S105


@dataclass
class Played:
    """What was asked, and what is answered: path -> (status, file)."""

    asked: list[tuple[str, dict, str]] = field(default_factory=list)
    answers: dict[str, tuple[int, str]] = field(
        default_factory=lambda: {
            "/v1/customers": (200, "customer"),
            "/v1/checkout/sessions": (200, "session"),
            "/v1/payment_intents": (200, "payment_intent"),
        }
    )


@pytest.fixture
def stripe(settings) -> Iterator[Played]:
    """A server that plays Stripe, and the settings that lead there."""
    played = Played()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # noqa: N802
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            fields = {name: values[0] for name, values in parse_qs(body).items()}
            played.asked.append((self.path, fields, self.headers["Idempotency-Key"]))
            status, name = played.answers[self.path]
            answer = (RECORDED / f"{name}.json").read_bytes()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    settings.STRIPE_API = f"http://127.0.0.1:{server.server_port}"
    settings.STRIPE_SECRET_KEY = "sk_test_of_the_tests"  # noqa: S105
    settings.STRIPE_WEBHOOK_SECRET = SECRET
    yield played
    server.shutdown()
    thread.join()
    server.server_close()


def tell(client, kind: str, thing: dict, *, secret: str = SECRET, age: int = 0):
    """Send a webhook as Stripe signs it."""
    event = {"id": "evt_1", "object": "event", "type": kind, "data": {"object": thing}}
    body = json.dumps(event)
    stamp = int(time.time()) - age
    digest = hmac.new(secret.encode(), f"{stamp}.{body}".encode(), hashlib.sha256).hexdigest()
    return client.generic(
        "POST",
        "/stripe-webhook/",
        body,
        content_type="application/json",
        HTTP_STRIPE_SIGNATURE=f"t={stamp},v1={digest}",
    )


@pytest.fixture
def member(client_of, person, price, stripe, run_jobs):
    """A user who has set Stripe up and owes one slice of November."""
    price(1.5)
    client = client_of("payment", person)
    client.post("/consent/", {**A_SLICE, "consented": True, "user_uri": person.uri})
    made = client.post("/payment-method/", {"user_uri": person.uri, "type": "stripe"}).json()
    run_jobs()
    intent = {
        "id": "seti_1Mm8s8LkdIwHu7ix0OXBfTRG",
        "customer": "cus_NffrFeUfNV2Hib",
        "payment_method": "pm_1MtwBwLkdIwHu7ixqQ8Qk0gN",
        "metadata": {"method": made["uri"].split("/")[-2]},
    }
    assert tell(client_of("payment"), "setup_intent.succeeded", intent).status_code == 204
    return person


def owe_and_close(person, at) -> None:
    payment.authorise(owner=person, **A_SLICE, source="http://a/slice/1/")
    payment.record(source="http://a/slice/1/")
    at(DECEMBER)
    actors.settle_invoices.fn()


def test_card_setup_uses_a_stripe_checkout_session(client_of, person, stripe, run_jobs):
    client = client_of("payment", person)

    made = client.post("/payment-method/", {"user_uri": person.uri, "type": "stripe"})
    pending = client.get(made["Location"]).json()
    run_jobs()
    ready = client.get(made["Location"]).json()

    key = made.json()["uri"].split("/")[-2]
    (customer, fields, customer_key), (session, setup, _) = stripe.asked
    assert (made.status_code, pending["status"], pending["setup_url"]) == (201, "pending", None)
    assert ready["setup_url"].startswith("https://checkout.stripe.com/c/pay/cs_test_")
    assert (customer, fields["email"], customer_key) == (
        "/v1/customers",
        "ada@example.com",
        f"customer-{key}",
    )
    assert (session, setup["mode"], setup["customer"]) == (
        "/v1/checkout/sessions",
        "setup",
        "cus_NffrFeUfNV2Hib",
    )
    assert setup["setup_intent_data[metadata][method]"] == key


def test_confirmed_stripe_method_makes_payment_status_ok(client_of, member):
    client = client_of("payment", member)

    (method,) = client.get("/payment-method/").json()["resources"]
    (status,) = client.get("/payment-status/").json()["resources"]

    assert (method["status"], method["setup_url"], status["status"]) == ("active", None, "ok")
    assert PaymentMethod.objects.get().reference == "pm_1MtwBwLkdIwHu7ixqQ8Qk0gN"


def test_issued_invoice_is_collected_once(client_of, member, stripe, run_jobs, at):
    owe_and_close(member, at)
    stripe.asked.clear()

    run_jobs()
    actors.collect_invoice.fn(str(InvoiceEvent.objects.first().invoice_id))

    (invoice,) = client_of("payment", member).get("/invoice/").json()["resources"]
    ((path, fields, key),) = stripe.asked
    assert (invoice["status"], key) == ("paid", f"payment-{invoice['payment_uuid']}")
    assert (path, fields["amount"], fields["currency"]) == ("/v1/payment_intents", "150", "eur")
    assert (fields["off_session"], fields["confirm"]) == ("true", "true")


def test_declined_card_leaves_invoice_unpaid_and_records_the_reason(
    client_of,
    member,
    stripe,
    run_jobs,
    at,
):
    stripe.answers["/v1/payment_intents"] = (402, "card_declined")
    owe_and_close(member, at)

    run_jobs()

    (invoice,) = client_of("payment", member).get("/invoice/").json()["resources"]
    assert (invoice["status"], invoice["payment_uuid"]) == ("unpaid", None)
    failed = InvoiceEvent.objects.get(action="payment-failed")
    assert failed.note == "Your card has insufficient funds."


def test_repeated_stripe_webhook_marks_invoice_paid_once(
    client_of,
    member,
    stripe,
    run_jobs,
    at,
):
    stripe.answers["/v1/payment_intents"] = (402, "card_declined")
    owe_and_close(member, at)
    run_jobs()
    attempt = InvoiceEvent.objects.get(action="issued").invoice.payments.get()
    paid = {"id": "pi_3MtwBwLkdIwHu7ix28a3tqPa", "metadata": {"payment": str(attempt.pk)}}

    answers = [tell(client_of("payment"), "payment_intent.succeeded", paid) for _ in range(2)]

    (invoice,) = client_of("payment", member).get("/invoice/").json()["resources"]
    assert [answer.status_code for answer in answers] == [204, 204]
    assert (invoice["status"], invoice["payment_uuid"]) == ("paid", str(attempt.pk))
    assert InvoiceEvent.objects.filter(action="paid").count() == 1


@pytest.mark.parametrize(("secret", "age"), [("whsec_forged", 0), (SECRET, 3600)])
def test_forged_or_old_stripe_webhook_is_rejected(client_of, member, stripe, secret, age):
    forged = {"id": "pi_1", "metadata": {"payment": str(member.pk)}}

    answer = tell(client_of("payment"), "payment_intent.succeeded", forged, secret=secret, age=age)

    assert answer.status_code == 403
    assert answer.json()["errors"][0]["code"] == "invalid-signature"


def test_stripe_is_unavailable_without_a_key(client_of, person):
    body = {"user_uri": person.uri, "type": "stripe"}

    method = client_of("payment", person).post("/payment-method/", body)
    webhook = tell(client_of("payment"), "payment_intent.succeeded", {})

    assert method.status_code == 503
    assert method.json()["errors"][0]["code"] == "method-not-set-up"
    assert webhook.status_code == 404
