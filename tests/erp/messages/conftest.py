"""A mail server, an order whose customer has an address, and the delivery of mails."""

import pytest
from django.db import connection

from apps.erp.models import Message, Order
from tests.erp.conftest import key_of
from tests.mail_server import MailServer


@pytest.fixture
def mail_server(settings):
    """A mail server that the platform sends to."""
    server = MailServer()
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", server.port
    yield server
    server.stop()


@pytest.fixture
def deliver(run_jobs):
    """`deliver()`: the time of every waiting mail has come, and they are sent."""

    def run() -> None:
        with connection.cursor() as cursor:
            cursor.execute(
                "UPDATE dramatiq.queue SET available_at = now()"
                " WHERE message->>'actor_name' = 'send_message'"
            )
        run_jobs()

    return run


@pytest.fixture
def order(make, bureau) -> Order:
    """An order of a customer with an address."""
    customer = make("customer", bureau=bureau["uri"], name="Van Dijk BV", email="joost@example.com")
    made = make(
        "order", bureau=bureau["uri"], name="Van Dijk BV", customer=customer["uri"],
        customer_name="Joost van Dijk",
    )  # fmt: skip
    return Order.objects.get(pk=key_of(made))


def row(message: Message | None) -> Message:
    """A message as it is stored now."""
    assert message is not None
    message.refresh_from_db()
    return message
