"""Login sessions."""

from uuid import UUID

from django.contrib.sessions.models import Session
from django.db import models
from django.utils import timezone

from apps.users.models.user import User
from core.resources import Resource


class LoginQuerySet(models.QuerySet):
    """Questions about sessions."""

    def open(self) -> "LoginQuerySet":
        """Those that have not expired."""
        return self.filter(session__expire_date__gt=timezone.now())

    def others(self, than: UUID | None) -> "LoginQuerySet":
        """All but the one with this key."""
        return self.exclude(pk=than) if than else self

    def end(self) -> None:
        """End the sessions: the next request with one of their cookies is refused."""
        Session.objects.filter(pk__in=list(self.values_list("session_id", flat=True))).delete()


class Login(Resource):
    """A session of the API: user, address, client; deleted with Django's session.

    The session key is a secret, so the resource has a key of its own.
    """

    SERVICE = "users"
    KIND = "session"

    session = models.OneToOneField(Session, on_delete=models.CASCADE, related_name="+")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="logins")
    address = models.CharField(max_length=64, blank=True)
    user_agent = models.CharField(max_length=400, blank=True)
    last_used = models.DateTimeField(default=timezone.now)

    objects = LoginQuerySet.as_manager()

    def __str__(self) -> str:
        return f"{self.user} from {self.address or 'somewhere'}"
