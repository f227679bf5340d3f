"""Somebody who signs in."""

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models

from core.keys import uuid7
from core.resources import Addressed


class User(Addressed, AbstractUser):
    """Somebody who signs in: a person, an administrator (`is_staff`), or a platform service."""

    SERVICE = "users"
    KIND = "user"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    name = models.CharField(max_length=200)
    email = models.EmailField(max_length=254)
    address = models.TextField(blank=True)
    company = models.CharField(max_length=200, blank=True)
    is_platform_service = models.BooleanField(
        default=False, help_text="A service account: reads what the platform's services may read."
    )

    REQUIRED_FIELDS = ["email"]

    def __str__(self) -> str:
        return self.username

    @property
    def id(self):
        """The key, under the name that Django's packages expect."""
        return self.uuid

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Every right for an active administrator; otherwise Django's question to its backends."""
        return (self.is_active and self.is_staff) or super().has_perm(perm, obj)

    def has_module_perms(self, app_label: str) -> bool:
        """Which parts of the operators' pages are shown: all to an administrator."""
        return (self.is_active and self.is_staff) or super().has_module_perms(app_label)
