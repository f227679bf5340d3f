"""Sink: a request bin that expires."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils import timezone

from core.resources import Resource

LIFETIME = timedelta(hours=24)


def new_token() -> str:
    """Return an unguessable token."""
    return secrets.token_urlsafe(32)


def end_of_sink() -> datetime:
    """When a sink that is made now ends."""
    return timezone.now() + LIFETIME


class SinkQuerySet(models.QuerySet):
    """Questions about sinks."""

    def current(self) -> "SinkQuerySet":
        """Return sinks that have not expired."""
        return self.filter(expires__gt=timezone.now())


class Sink(Resource):
    """A URL that records the requests it receives; anyone who has it may send, its owner reads."""

    SERVICE = "callbacks"
    KIND = "callback-sink"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    token = models.CharField(max_length=64, unique=True, default=new_token, editable=False)
    created = models.DateTimeField(db_default=Now())
    expires = models.DateTimeField(default=end_of_sink)

    objects = SinkQuerySet.as_manager()

    def __str__(self) -> str:
        return str(self.uuid)

    @property
    def url(self) -> str:
        """Where it takes requests."""
        return f"{settings.SINK_URL}{self.token}/"


class SunkRequest(models.Model):
    """A request that a sink was sent."""

    sink = models.ForeignKey(Sink, on_delete=models.CASCADE, related_name="requests")
    method = models.CharField(max_length=16)
    query = models.TextField(blank=True)
    headers = models.JSONField()
    # How the body began, and how long it was in bytes.
    body = models.BinaryField()
    size = models.IntegerField()
    received = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.method} {self.received}"
