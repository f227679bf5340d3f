"""Who wants to be told."""

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from apps.callbacks.models.origin import Origin
from core.keys import uuid7


class Subscription(models.Model):
    """A URL that is requested at every change of one resource, the callback given with it.

    Without a `uri` it is for all resources of its owner, and for events of the types in `events`.
    """

    class Method(models.TextChoices):
        GET = "GET"
        POST = "POST"
        PUT = "PUT"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    uri = models.CharField(max_length=500, null=True, db_index=True)  # noqa: DJ001  null = all
    url = models.CharField(max_length=2048)
    method = models.CharField(max_length=4, choices=Method, default=Method.POST)
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="subscriptions")
    created = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.method} {self.url}"
