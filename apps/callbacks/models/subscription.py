"""Subscription of a URL to events."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.callbacks.models.origin import Origin
from core.model_fields import DatabaseTimeField
from core.resources import Resource


class SubscriptionQuerySet(models.QuerySet):
    """Questions about subscriptions."""

    def of_account(self, owner_id: object) -> "SubscriptionQuerySet":
        """Those of an account to many resources: all of its own, or of a bureau."""
        return self.filter(owner_id=owner_id, resource=None, deleted=None)


class Subscription(Resource):
    """A URL that receives every change of one `resource`: the callback given with it.

    Without a `resource` it receives the events of the types in `events` of all resources of its
    owner, or of a bureau that the owner may read.
    """

    SERVICE = "callbacks"
    KIND = "subscription"

    class Method(models.TextChoices):
        GET = "GET"
        POST = "POST"
        PUT = "PUT"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    # A URI; null = all of the owner's, or of a bureau.
    resource = models.CharField(max_length=500, null=True, db_index=True)  # noqa: DJ001
    # The bureau's key, whoever made what belongs to it; and that of a location of it.
    bureau = models.UUIDField(null=True, editable=False)
    location = models.UUIDField(null=True, editable=False)
    events = ArrayField(models.CharField(max_length=64), default=list)
    url = models.CharField(max_length=2048)
    method = models.CharField(max_length=4, choices=Method, default=Method.POST)
    origin = models.ForeignKey(Origin, on_delete=models.PROTECT, related_name="subscriptions")
    enabled = models.BooleanField(default=True)
    updated = DatabaseTimeField(auto_now=True)
    deleted = models.DateTimeField(null=True)

    objects = SubscriptionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(resource=None) ^ models.Q(events=[]),
                name="subscription_of_resource_or_account",
            ),
            models.CheckConstraint(
                condition=models.Q(bureau=None) | models.Q(resource=None),
                name="subscription_of_resource_or_bureau",
            ),
            models.CheckConstraint(
                condition=models.Q(location=None) | models.Q(bureau__isnull=False),
                name="subscription_of_location_in_bureau",
            ),
        ]
        indexes = [
            models.Index(
                fields=["owner"],
                name="subscription_of_account",
                condition=models.Q(resource=None, deleted=None),
            ),
            models.Index(
                fields=["bureau"],
                name="subscription_of_bureau",
                condition=models.Q(bureau__isnull=False, deleted=None),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.method} {self.url}"
