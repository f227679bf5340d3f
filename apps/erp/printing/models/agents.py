"""Printer agents."""

import hashlib
from datetime import timedelta
from typing import Any

from django.db import models
from django.utils import timezone

from apps.erp.base.model_fields import BureauForeignKey, name_field, short_text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Location

OFFLINE_AFTER = timedelta(seconds=60)  # after which it is offline


class Agent(BureauResource):
    """A program at a location that brings runs to its machines, and tells what these do.

    version : which program it is; seen: when it was last heard
    session : where that runs, in words of its own: another place has to wait for its silence
    code    : that pairs it, and secret: of its token; both as SHA-256, since a code lives for
              minutes and a token has 256 random bits
    machines: what they are at: key of a printer -> {state, job, progress, text, temperatures,
              last_job}
    permits_refused : how often it asked for one in vain
    hosts           : discovered hosts, {driver, host, name, address, source, seen}; null: its
                      program reports none and tests no connections
    search          : its last search for hosts: {id, addresses, state, requested}
    report_delay    : how old the oldest report of its last ones was when it came, s
    """

    KIND = "agent"
    PARENT = "location"
    RIGHT = "printer.all"
    READ_ONLY = frozenset({"version", "seen"})
    PRIVATE = frozenset(
        {
            "code_sha256",
            "code_expires",
            "secret_sha256",
            "session",
            "machines",
            "permits_refused",
            "report_delay",
            "hosts",
            "search",
            "creator",
        }
    )

    location = BureauForeignKey(Location)
    name = name_field()
    version = short_text_field()
    seen = models.DateTimeField(null=True, blank=True)
    code_sha256 = models.BinaryField(max_length=32, null=True, editable=False)
    code_expires = models.DateTimeField(null=True, editable=False)
    secret_sha256 = models.BinaryField(max_length=32, null=True, editable=False)
    session = models.CharField(max_length=64, default="", editable=False)
    machines = models.JSONField(default=dict, editable=False)
    permits_refused = models.PositiveIntegerField(default=0, editable=False)
    report_delay = models.FloatField(null=True, editable=False)
    hosts = models.JSONField(null=True, editable=False)
    search = models.JSONField(null=True, editable=False)
    creator = user_field()

    @property
    def online(self) -> bool:
        """Whether it was heard of late."""
        return self.seen is not None and timezone.now() - self.seen < OFFLINE_AFTER

    @property
    def standing(self) -> str:
        """never-seen, online or offline."""
        if self.seen is None:
            return "never-seen"
        return "online" if self.online else "offline"

    def sees(self, printer: Any) -> dict[str, Any]:
        """What it last reported of a printer's machine; empty where it reported nothing."""
        found: dict[str, Any] = self.machines.get(str(printer.pk), {})
        return found


def hashed(secret: str) -> bytes:
    """How a secret is kept."""
    return hashlib.sha256(secret.encode()).digest()
