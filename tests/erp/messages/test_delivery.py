"""Failures of the mail server, suppressed addresses, limits and killed workers."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from django.conf import settings as django_settings
from django.db import connection
from django.utils import timezone

from apps.erp.actors import resume_messages, send_message
from apps.erp.base.models.messages import MessageMoment
from apps.erp.models import Message
from apps.erp.orders.domain.customer_messages import messages
from tests.erp.messages.conftest import row


def test_temporary_rejection_is_repeated_with_the_same_message_id(order, mail_server, deliver):
    message = messages.record(order, MessageMoment.RECEIVED)
    mail_server.on_recipient = lambda: "450 Greylisted, come back later"
    deliver_once(message)

    waiting = row(message)
    assert (waiting.status, waiting.attempts) == ("waiting", 1)
    assert waiting.error == "450 Greylisted, come back later"
    minute = waiting.next_attempt - timezone.now()
    assert timedelta(seconds=50) < minute <= timedelta(minutes=1)
    mail_server.on_recipient = lambda: "250 OK"
    deliver()

    assert (row(message).status, row(message).attempts) == ("sent", 2)
    assert [mail["Message-ID"] for mail in mail_server.mails] == [row(message).message_id]


def deliver_once(message: Message | None) -> None:
    """One attempt, whenever the next one is due."""
    send_message.fn(str(row(message).pk))


def test_attempts_end_after_a_day(order, mail_server):
    message = messages.record(order, MessageMoment.RECEIVED)
    mail_server.on_data = lambda: "451 Try again"
    pauses = []
    while row(message).status in ("waiting", "sending"):
        deliver_once(message)
        if due := row(message).next_attempt:
            pauses.append(round((due - timezone.now()) / timedelta(minutes=1)))

    assert pauses == [1, 5, 15, 60, 240, 720, 1440]
    assert (row(message).status, row(message).error) == ("failed", "451 Try again")
    assert not row(message).refused


def test_server_that_is_down_delays_the_mail(order, mail_server, deliver):
    message = messages.record(order, MessageMoment.RECEIVED)
    mail_server.stop()

    deliver_once(message)

    assert (row(message).status, row(message).attempts) == ("waiting", 1)
    assert "Connection refused" in row(message).error


@pytest.mark.parametrize("command", ["on_recipient", "on_data"])
def test_rejected_address_gets_no_further_mails(erp, order, mail_server, deliver, command):
    first = messages.record(order, MessageMoment.RECEIVED)
    setattr(mail_server, command, lambda: "550 No such user here")
    deliver()
    setattr(mail_server, command, lambda: "250 OK")
    second = messages.record(order, MessageMoment.CONFIRMED)
    deliver()

    failed, held = row(first), row(second)
    assert (failed.status, failed.refused) == ("failed", True)
    assert failed.error == "550 No such user here"
    assert (held.status, held.attempts) == ("held", 0)
    assert "rejected an earlier e-mail" in held.error
    assert mail_server.mails == []

    again = erp.post(f"{held.uri}send/")
    assert again.status_code == 201
    deliver()
    assert erp.get(again["Location"]).json()["status"] == "sent"
    third = messages.record(order, MessageMoment.SHIPPED)
    deliver()
    assert row(third).status == "sent"  # it accepts mails again


def test_address_gets_twenty_mails_a_day(order, mail_server, deliver, settings):
    settings.MAIL_DAY = 2
    for moment in (MessageMoment.RECEIVED, MessageMoment.CONFIRMED, MessageMoment.SHIPPED):
        messages.record(order, moment)
        deliver()
        # Upper case makes no other address of it.
        Message.objects.update(recipient="JOOST@example.com")

    statuses = list(Message.objects.order_by("pk").values_list("status", flat=True))
    assert statuses == ["sent", "sent", "held"]
    assert "2 e-mails within 24 hours" in Message.objects.latest("pk").error


def test_shops_of_an_account_send_a_limited_number_of_mails_a_day(
    order, mail_server, deliver, settings
):
    settings.MAIL_ACCOUNT_DAY = 2
    for at, moment in enumerate((MessageMoment.RECEIVED, MessageMoment.CONFIRMED)):
        messages.record(order, moment)
        deliver()
        Message.objects.update(recipient=f"person{at}@example.com")
    messages.record(order, MessageMoment.SHIPPED)
    deliver()

    assert Message.objects.latest("pk").status == "held"
    assert "sent 2 e-mails within 24 hours" in Message.objects.latest("pk").error


def test_lost_job_is_resumed(order, mail_server, run_jobs):
    message = messages.record(order, MessageMoment.RECEIVED)
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue")
    Message.objects.update(next_attempt=timezone.now() - timedelta(hours=1))

    resume_messages()
    run_jobs()

    assert row(message).status == "sent"


def test_mail_that_arrives_in_the_queue_twice_is_sent_once(order, mail_server):
    message = messages.record(order, MessageMoment.RECEIVED)

    deliver_once(message)
    deliver_once(message)

    assert len(mail_server.mails) == 1


CHILD = """
import django
django.setup()
from apps.erp.actors import send_message
send_message.fn({key!r})
"""


@pytest.mark.django_db(transaction=True)
def test_mail_of_a_killed_worker_is_sent_again_with_the_same_id_and_link(order, mail_server):
    message = messages.record(order, MessageMoment.RECEIVED)
    started: list[subprocess.Popen] = []

    def kill() -> str:  # after 250, before the platform has committed
        started[0].send_signal(signal.SIGKILL)
        return "221 Bye"

    mail_server.on_quit = kill
    name = connection.settings_dict["NAME"]
    url = urlsplit(os.environ["TEST_DATABASE"])._replace(path=f"/{name}").geturl()
    environment = {
        **os.environ,
        "DATABASE_URL": url,
        "DJANGO_SETTINGS_MODULE": "project.settings",
        "EMAIL_URL": f"smtp://127.0.0.1:{mail_server.port}",
        "PYTHONPATH": ".:platform",
    }
    command = [sys.executable, "-c", CHILD.format(key=str(message.pk))]
    child = subprocess.Popen(command, env=environment, cwd=django_settings.BASE_DIR)
    started.append(child)
    assert child.wait() == -signal.SIGKILL
    assert (row(message).status, row(message).attempts) == ("sending", 1)
    mail_server.on_quit = lambda: "221 Bye"

    deliver_once(message)

    first, second = mail_server.mails
    assert (row(message).status, row(message).attempts) == ("sent", 2)
    assert first["Message-ID"] == second["Message-ID"]
    assert mail_server.texts[0] == mail_server.texts[1]
