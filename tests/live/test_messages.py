"""Mails to customers by the real worker, which is killed while it sends."""

import pytest

from tests.live.client import Client
from tests.live.processes import Platform, kill, wait_for
from tests.mail_server import MailServer

pytestmark = [
    pytest.mark.live,
    pytest.mark.single("its mail server and the worker that is killed are on this machine"),
]


@pytest.fixture
def mail_server():
    server = MailServer()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def platform(mail_server):
    running = Platform(EMAIL_URL=f"smtp://127.0.0.1:{mail_server.port}", SLOTS="mail=1,default=1")
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
