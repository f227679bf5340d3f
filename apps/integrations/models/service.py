"""Service: an operation that a provider offers."""

from typing import Self

from django.conf import settings
from django.db import models

from apps.users import interface as users
from core.auth_user import Person
from core.model_fields import DatabaseTimeField
from core.outbound.webhook_signatures import derived_secret
from core.resources import Deletable, Resource


class ServiceQuerySet(models.QuerySet):
    """Questions about services."""

    def visible_to(self, user: Person) -> Self:
        """The services that `user` may use: open ones, those of their groups, and their own.

        All of them for administrators.
        """
        kept = self.filter(deleted=None)
        if user.is_staff:
            return kept
        return kept.filter(
            models.Q(group_key=None)
            | models.Q(group_key__in=users.groups_of(user))
            | models.Q(creator=user)
        )


class Service(Deletable, Resource):
    """An operation on models that a provider offers, and the URL that accepts it."""

    SERVICE = "integrations"
    KIND = "service"
    OWNER = "creator_id"

    class Method(models.TextChoices):
        POST = "POST"
        PUT = "PUT"

    name = models.CharField(max_length=200)
    description = models.TextField(blank=True)
    type = models.CharField(max_length=64)
    # Whose members alone may use it.
    group_key = models.UUIDField(null=True, blank=True)
    service_url = models.CharField(max_length=2048)
    service_method = models.CharField(max_length=4, choices=Method, default=Method.POST)
    # The JSON Schema of the parameters; an empty one allows any.
    schema = models.JSONField(default=dict, blank=True)
    # None made those that come with the platform.
    creator = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+"
    )
    deleted = models.DateTimeField(null=True, blank=True)
    updated = DatabaseTimeField(auto_now=True)

    objects = ServiceQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=models.Q(deleted=None), name="one_service_of_a_name"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def group_uri(self) -> str | None:
        return users.group_uri(self.group_key) if self.group_key else None

    @property
    def secret(self) -> str:
        """What both sides sign with."""
        return derived_secret(f"secret of service {self.uuid}".encode())

    @property
    def is_built_in(self) -> bool:
        """Return whether a built-in provider of this installation runs it."""
        return self.service_url.startswith(f"{settings.PROVIDERS_URL}/")
