"""User model."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Value
from django.utils import timezone

from apps.users.models.usernames import check_scripts, look
from core.keys import uuid7
from core.resources import HasUri

# For so long after its registration an account is fresh.
FRESH = timedelta(days=7)


class User(HasUri, AbstractUser):
    """An account: a person, an administrator (`is_staff`), a platform service, or a guest.

    guest_until : end of the account of a guest of a shop, who has no password and no address;
                  null for all others
    """

    SERVICE = "users"
    KIND = "user"

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    first_name = None  # type: ignore[assignment]
    last_name = None  # type: ignore[assignment]
    username = models.CharField(
        max_length=150, unique=True, validators=[UnicodeUsernameValidator(), check_scripts]
    )
    # What the user name looks like, which no other may; null for those who were there before.
    look = models.CharField(max_length=600, unique=True, null=True, editable=False)  # noqa: DJ001
    name = models.CharField(max_length=200)
    email = models.EmailField(max_length=254)
    address = models.TextField(blank=True)
    company = models.CharField(max_length=200, blank=True)
    is_platform_service = models.BooleanField(
        default=False, help_text="A service account: reads what the platform's services may read."
    )
    # A fresh account takes turns together with all others that registered in its network, unless
    # somebody answers for it: a flood of accounts gets one account's share.
    network = models.UUIDField(
        "shares its turns with", null=True, blank=True, help_text="Empty it to answer for a person."
    )
    turn_weight = models.PositiveSmallIntegerField(
        default=1,
        db_default=1,
        validators=[MinValueValidator(1), MaxValueValidator(10)],
        help_text="How many jobs of theirs are done where others have one done: 1 to 10.",
    )
    convert_uploads = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Whether uploads of other types than STL are converted at once.",
    )
    muted_notifications = ArrayField(
        models.CharField(max_length=32),
        default=list,
        db_default=Value([], output_field=ArrayField(models.CharField(max_length=32))),
        blank=True,
        help_text="Kinds of notifications that are not written.",
    )
    guest_until = models.DateTimeField(null=True, blank=True, editable=False)
    tos_accepted = models.DateTimeField("terms of service accepted", null=True, editable=False)

    REQUIRED_FIELDS = ["email"]

    class Meta(AbstractUser.Meta):
        indexes = [
            models.Index(
                fields=["guest_until"],
                name="user_guest_until",
                condition=models.Q(guest_until__isnull=False, is_active=True),
            )
        ]

    def __str__(self) -> str:
        return self.username

    def save(self, **options: Any) -> None:
        """Keep what the name looks like with it."""
        given = options.get("update_fields")
        if given is None or "username" in given:
            self.look = look(self.username)
            options["update_fields"] = given and [*given, "look"]
        super().save(**options)

    def clean(self) -> None:
        """Raise ValidationError where another account has this name, or one that looks like it."""
        super().clean()
        alike = User.objects.filter(look=look(self.username or ""))
        if alike.exclude(pk=self.pk).exists():
            words = "There is an account with this name, or one that looks like it."
            raise ValidationError({"username": words})

    @property
    def turns_account(self) -> UUID:
        """The account under which work of theirs takes its turns."""
        shares = self.is_guest or timezone.now() - self.date_joined < FRESH
        return self.network if self.network and shares else self.uuid

    @property
    def is_guest(self) -> bool:
        """Whether it is the account of a guest of a shop."""
        return self.guest_until is not None

    def may_change(self, other: "User") -> bool:
        """Whether an administrator may change this account: a superuser's only superusers may."""
        return self.pk == other.pk or self.is_superuser or not other.is_superuser

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
