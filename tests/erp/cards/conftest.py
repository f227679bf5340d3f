"""A confirmed order of a shop that takes cards, and a server that behaves as Stripe does."""

from collections.abc import Callable, Iterator

import pytest

from apps.erp.models import CardCheckout
from apps.users.models import User
from tests.erp.test_order_totals import selling  # noqa: F401  fixture
from tests.erp.test_payments import link, order  # noqa: F401  fixtures
from tests.stripe_server import KEY, SECRET, StripeServer, signature_of


@pytest.fixture
def stripe(settings) -> Iterator[StripeServer]:
    """Stripe, and the settings that lead there."""
    server = StripeServer().start()
    settings.STRIPE_API = settings.STRIPE_CHECKOUT = server.url
    yield server
    server.stop()


@pytest.fixture
def account(erp, bureau, stripe) -> dict:
    """The Stripe account of the shop, enabled."""
    body = {"secret_key": KEY, "webhook_secret": SECRET, "enabled": True}
    answer = erp.post("/card-account/", {"bureau": bureau["uri"], **body})
    assert answer.status_code == 201, answer.json()
    return answer.json()


@pytest.fixture
def seller(make, bureau, db) -> User:
    """Eve, who makes the prices of the bureau, and grants no rights on it."""
    eve = User.objects.create_user("eve", "eve@example.com", "correct horse battery", name="Eve")
    make("membership-bureau", bureau=bureau["uri"], user=eve.uri)
    make("permission-bureau", bureau=bureau["uri"], user=eve.uri, right="price.all")
    return eve


@pytest.fixture
def begin(client_of, link):  # noqa: F811
    """`begin()`: the answer to the customer's wish to pay by card."""
    return lambda: client_of("sales").post(f"{link}card-payment/")


@pytest.fixture
def refresh(client_of, link):  # noqa: F811
    """`refresh()`: the state of the card payment after the customer has come back."""
    return lambda: client_of("sales").post(f"{link}card-payment/refresh/").json()["status"]


@pytest.fixture
def send(client_of, bureau) -> Callable:
    """`send(body, signature)`: the answer to a webhook of Stripe, by default to the shop's own."""

    def post(body: bytes, signature: str | None = None, to: str = ""):
        return client_of("sales").generic(
            "POST",
            f"/stripe/{(to or bureau['uri']).split('/')[-2]}/",
            body,
            content_type="application/json",
            HTTP_STRIPE_SIGNATURE=signature_of(body) if signature is None else signature,
        )

    return post


@pytest.fixture
def completed(stripe, begin, send, account) -> Callable[..., dict]:
    """`completed(amount_total=1000)`: the customer pays, and Stripe reports it; the session."""

    def pay(**changes) -> dict:
        answer = begin()
        assert answer.status_code == 201, answer.json()
        session = stripe.pay(**changes)
        sent = send(stripe.event("checkout.session.completed", session))
        assert sent.status_code == 204
        return session

    return pay


@pytest.fixture
def payments(erp, order) -> Callable[[], list[dict]]:  # noqa: F811
    """`payments()`: the payments of the order, the first one first."""

    def read() -> list[dict]:
        query = f"?filter[order]={order['uri']}&sort=created"
        return erp.get(f"/order-payment/{query}").json()["resources"]

    return read


@pytest.fixture
def state(erp, order) -> Callable[[], dict]:  # noqa: F811
    """`state()`: how far the order is paid."""
    return lambda: erp.get(order["uri"]).json()["payment"]


@pytest.fixture
def checked_before() -> Callable[[], int]:
    """`checked_before()`: no check of Stripe was in the last seconds."""
    return lambda: CardCheckout.objects.update(checked=None)
