"""API tokens."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.users.models.user import User
from core.resources import Resource


class ApiToken(Resource):
    """A key for programs: its uuid is the user name, its secret the password, of HTTP Basic."""

    SERVICE = "users"
    KIND = "api-token"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=200, blank=True)
    # 256 random bits need no slow hash: SHA-256 cannot be turned back or guessed.
    secret_sha256 = models.BinaryField(max_length=32, editable=False)
    # The services that it is for; null for all of them.
    namespaces = ArrayField(models.CharField(max_length=50), null=True, blank=True)
    read_only = models.BooleanField(default=False)
    expires = models.DateTimeField(null=True, blank=True)
    last_used = models.DateTimeField(null=True, blank=True, editable=False)

    # Shown once, in the answer of its creation; never stored.
    secret: str | None = None

    def __str__(self) -> str:
        return self.name or str(self.uuid)
