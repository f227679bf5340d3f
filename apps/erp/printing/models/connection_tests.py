"""Connection tests of printers, which agents carry out."""

import base64
from datetime import timedelta

from cryptography.fernet import Fernet
from django.db import models
from django.utils import timezone

from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent
from core.keys import uuid7
from core.outbound.webhook_signatures import derived_secret

LIFETIME = timedelta(minutes=2)  # after which a test without a result has failed


class ConnectionTest(models.Model):
    """The last connection test of a printer.

    uuid       : of this test: the next one of the printer has another
    address    : of the host; sealed_key: its key, encrypted, until the agent has taken it
    steps      : [{step, result, text, problem}], as the agent reported them
    host       : name and version of the host's program
    """

    class State(models.TextChoices):
        WAITING = "waiting"
        RUNNING = "running"
        PASSED = "passed"
        FAILED = "failed"

    OPEN = (State.WAITING, State.RUNNING)

    printer = models.OneToOneField(
        Printer, on_delete=models.CASCADE, primary_key=True, related_name="connection_test"
    )
    agent = models.ForeignKey(Agent, on_delete=models.CASCADE, related_name="+")
    uuid = models.UUIDField(default=uuid7, editable=False)
    driver = models.CharField(max_length=16)
    address = models.CharField(max_length=200)
    sealed_key = models.BinaryField(null=True, editable=False)
    state = models.CharField(max_length=16, choices=State, default=State.WAITING)
    steps = models.JSONField(default=list)
    host = models.CharField(max_length=200, default="", blank=True)
    created = models.DateTimeField(default=timezone.now)
    ended = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"{self.address} {self.state}"

    @property
    def host_key(self) -> str | None:
        """The key of the host; None where the agent is to use the stored one, or has taken it."""
        return (
            None if self.sealed_key is None else _cipher().decrypt(bytes(self.sealed_key)).decode()
        )


def sealed(host_key: str) -> bytes:
    """Encrypt the key of a host by a key of the installation, which is not in the database."""
    return _cipher().encrypt(host_key.encode())


def _cipher() -> Fernet:
    secret = derived_secret(b"keys of printers on their way to an agent").removeprefix("whsec_")
    return Fernet(base64.urlsafe_b64encode(base64.b64decode(secret)))
