"""Mails to customers by the real worker, which is killed while it sends."""

from collections import Counter
from threading import Lock

import pytest

from tests.live.client import Client
from tests.live.processes import Platform, kill, wait_for
from tests.mail_server import MailServer

pytestmark = [
    pytest.mark.live,
    pytest.mark.single("its mail server and the worker that is killed are on this machine"),
]

ORDERS, CUSTOMERS, KILLS = 1000, 100, 5
THREADS = 4  # messages that a worker sends at a time


@pytest.fixture
def mail_server():
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def platform(mail_server):
    address = f"smtp://127.0.0.1:{mail_server.port}"
    running = Platform(EMAIL_URL=address, SLOTS="mail=1,default=1", MAIL_ACCOUNT_DAY=str(ORDERS))
    try:
        running.start()
        yield running
    finally:
        running.stop()


def test_killed_worker_sends_again_with_the_same_message_id(platform, mail_server):
    seller = Client(platform)
    bureau = seller.make("bureau", name="Nordform 3D")
    identifiers = []

    def kill_once() -> str:  # between 250 and the commit of the platform
        identifiers.append(mail_server.mails[-1]["Message-ID"])
        if len(identifiers) == 1:
            kill(platform.worker("mail-1"))
        return "221 Bye"

    mail_server.on_quit = kill_once

    body = {"moment": "received", "language": "en"}
    message = seller.ask("POST", f"{bureau}message-test/", 201, json=body).json()["uri"]

    wait_for(lambda: seller.read(message)["status"] == "sent", 120)
    assert identifiers == [seller.read(message)["message_id"]] * 2
    assert seller.read(message)["attempts"] == 2


@pytest.mark.long
@pytest.mark.timeout(1200)
def test_messages_of_1000_orders_survive_kills_and_an_outage(platform, mail_server):
    seller = Client(platform)
    bureau = seller.make("bureau", name="Nordform 3D")
    customers = [
        seller.make("customer", bureau=bureau, name=f"Buyer {n}", email=f"buyer-{n}@example.com")
        for n in range(CUSTOMERS)
    ]
    marks = [150 * n for n in range(1, KILLS + 1)]
    lock = Lock()

    def kill_at_marks() -> str:  # while other threads of the worker send as well
        with lock:
            is_due = bool(marks) and len(mail_server.mails) >= marks[0]
            if is_due:
                marks.pop(0)
        if is_due:
            kill(platform.worker("mail-1"))
        return "221 Bye"

    mail_server.on_quit = kill_at_marks

    for n in range(ORDERS):
        order = seller.make("order", bureau=bureau, customer=customers[n % CUSTOMERS], name="Part")
        seller.make("order-payment", order=order, amount=1)  # of which an e-mail informs
        if n == ORDERS // 2:
            mail_server.stop()
    failed = "SELECT count(*) FROM erp_message WHERE error <> ''"
    wait_for(lambda: platform.ask(failed) != [(0,)], 300)
    mail_server.start()

    unsent = "SELECT count(*) FROM erp_message WHERE status <> 'sent'"
    wait_for(lambda: platform.ask(unsent) == [(0,)], 600)
    rows = [identifier for (identifier,) in platform.ask("SELECT message_id FROM erp_message")]
    sent = Counter(mail["Message-ID"] for mail in mail_server.mails)
    doubles = sent.total() - len(sent)
    print(f"{sent.total()} mails of {len(rows)} messages, {doubles} twice by {KILLS} kills")
    assert len(rows) == ORDERS
    assert set(sent) == set(rows)
    assert not marks
    assert doubles <= KILLS * THREADS
