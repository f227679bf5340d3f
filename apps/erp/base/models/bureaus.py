"""Bureau, locations, members, rights, features."""

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator
from django.db import models

from apps.erp.base.model_fields import (
    BureauForeignKey,
    Color,
    Currency,
    ForeignUriField,
    GroupKey,
    Money,
    name_field,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BaseResource, BureauResource

NAMESPACE = "erp"
MAX_HOUR = 24
# Whoever holds one of these grants rights on the bureau or location, and changes its people.
BUREAU_GRANTING, LOCATION_GRANTING = "bureau.permission.all", "location.permission.all"
# The contract's table: what can be held on a bureau, and on a location.
BUREAU_RIGHTS = (
    "currency_conversion.all",
    "location.all",
    "manufacturer.all",
    "material.all",
    "post_processor_type.all",
    "printer_type.all",
    "service_provider.all",
    "shipping.all",
    "third_party.all",
    BUREAU_GRANTING,
)
# What can be held on a bureau besides: for selling. Whoever grants rights holds them anyway.
SELLING_RIGHTS = ("customer.all", "price.all")
LOCATION_RIGHTS = ("post_processor.all", "printer.all", "stock.all", LOCATION_GRANTING)


class Bureau(BaseResource):
    """A business that makes parts: its members are those of `group`.

    last_order_number : of its orders; raised by the database with each new order
    introduction, accent, language : how it presents itself to customers
    email       : to which customers reply
    electricity_price : of a kWh, in its currency; null: no energy in the cost of parts
    vat_number, legal_notice : on its documents: VAT or tax number, register and managers
    automatic_quotes, automatic_invoices : documents of its orders that are issued without a person
    logo_sha256 : of the picture in `Logo`; empty without one

    Stored and returned, without effect: introduction, phone, address, website.
    """

    class Language(models.TextChoices):
        ENGLISH = "en"
        GERMAN = "de"

    class AutomaticInvoices(models.TextChoices):
        """From which status of an order on its invoice is issued."""

        NEVER = "never"
        CONFIRMED = "confirmed"
        SHIPPED = "shipped"

    KIND = "bureau"
    PARENT = ""
    RIGHT = BUREAU_GRANTING
    PRIVATE = frozenset({"creator", "last_order_number", "logo_sha256"})
    BUREAU = "pk"
    GROUPS = {"order_banner": {"message": "banner_message", "link": "banner_link"}}

    name = name_field()
    description = text_field()
    group = GroupKey(unique=True, editable=False)
    currency = Currency(default="EUR")
    electricity_price = Money(null=True, blank=True)
    # What those who order are shown.
    banner_message = text_field()
    banner_link = models.CharField(max_length=2048, blank=True, default="")
    last_order_number = models.PositiveIntegerField(db_default=0, editable=False)
    creator = user_field()
    introduction = models.TextField(max_length=1000, blank=True, default="", db_default="")
    email = models.EmailField(blank=True, default="", db_default="")
    phone = short_text_field(db_default="")
    address = text_field(db_default="")
    website = models.CharField(max_length=2048, blank=True, default="", db_default="")
    vat_number = short_text_field(db_default="")
    legal_notice = models.TextField(max_length=500, blank=True, default="", db_default="")
    language = models.CharField(
        max_length=2, choices=Language, blank=True, default="", db_default=""
    )
    automatic_quotes = models.BooleanField(default=False, db_default=False)
    automatic_invoices = models.CharField(
        max_length=16,
        choices=AutomaticInvoices,
        default=AutomaticInvoices.NEVER,
        db_default=AutomaticInvoices.NEVER,
    )
    accent = Color(blank=True, default="", db_default="")
    logo_sha256 = models.CharField(
        max_length=64, blank=True, default="", db_default="", editable=False
    )


class Logo(models.Model):
    """The logo of a bureau: a PNG that the platform has drawn anew."""

    bureau = models.OneToOneField(Bureau, models.CASCADE, primary_key=True, related_name="+")
    content = models.BinaryField()

    def __str__(self) -> str:
        return f"logo of {self.bureau_id}"


def _hour() -> models.PositiveSmallIntegerField:
    return models.PositiveSmallIntegerField(
        null=True, blank=True, validators=[MaxValueValidator(MAX_HOUR)]
    )


class Location(BureauResource):
    """A place where a bureau works.

    attended_from, attended_until : hours of a working day in which people clear beds; None: always
    quiet_from, quiet_until       : hours in which no print starts automatically; None: none
    """

    KIND = "location"
    RIGHT = "location.all"
    PRIVATE = frozenset({"creator"})

    name = name_field()
    phone = short_text_field()
    address = text_field()
    contact_uri = ForeignUriField(kind="user", null=True, blank=True)
    attended_from, attended_until = _hour(), _hour()
    quiet_from, quiet_until = _hour(), _hour()
    creator = user_field()


class MemberResource(BureauResource):
    """A person at a bureau or a location: goes with it."""

    FIXED = frozenset({"user", "right"})

    bureau = BureauForeignKey("erp.Bureau", models.CASCADE, db_index=False)
    # Who grants rights on the parent also says who belongs to it.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta(BureauResource.Meta):
        abstract = True


class MembershipLocation(MemberResource):
    """Somebody who works at a location: reads its bureau."""

    KIND = "membership-location"
    PARENT = "location"
    RIGHT = LOCATION_GRANTING

    location = BureauForeignKey(Location, models.CASCADE)

    class Meta(MemberResource.Meta):
        verbose_name = "location membership"
        constraints = [
            models.UniqueConstraint(fields=["location", "user"], name="member_of_location_once")
        ]


class UserServiceView(MemberResource):
    """What the users service says of people, as a view of the database: never written here."""

    bureau = BureauForeignKey("erp.Bureau", models.DO_NOTHING, db_index=False)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, related_name="+")

    class Meta(MemberResource.Meta):
        abstract = True
        managed = False
        indexes: ClassVar = []


class MembershipBureau(UserServiceView):
    """A member of a bureau, and of its group."""

    KIND = "membership-bureau"
    RIGHT = BUREAU_GRANTING

    class Meta(UserServiceView.Meta):
        verbose_name = "bureau membership"
        constraints = [
            models.UniqueConstraint(fields=["bureau", "user"], name="member_of_bureau_once")
        ]


class PermissionBureau(UserServiceView):
    """A right on a bureau that a user holds."""

    KIND = "permission-bureau"
    RIGHT = BUREAU_GRANTING

    right = models.CharField(
        max_length=64, choices=[(right, right) for right in (*BUREAU_RIGHTS, *SELLING_RIGHTS)]
    )

    class Meta(UserServiceView.Meta):
        verbose_name = "bureau permission"
        constraints = [
            models.UniqueConstraint(fields=["bureau", "user", "right"], name="right_on_bureau_once")
        ]


class PermissionLocation(UserServiceView):
    """A right on a location that a user holds."""

    KIND = "permission-location"
    PARENT = "location"
    RIGHT = LOCATION_GRANTING

    location = BureauForeignKey(Location, models.DO_NOTHING)
    right = models.CharField(max_length=64, choices=[(right, right) for right in LOCATION_RIGHTS])

    class Meta(UserServiceView.Meta):
        verbose_name = "location permission"
        constraints = [
            models.UniqueConstraint(
                fields=["location", "user", "right"], name="right_on_location_once"
            )
        ]


class Feature(BureauResource):
    """Something that operators switch on for a bureau."""

    KIND = "feature"
    OPERATED = True
    PREMIUM_PACKER: ClassVar[str] = "premium-packer"

    name = name_field()
    description = text_field()
    enabled = models.BooleanField(default=False)

    class Meta(BureauResource.Meta):
        constraints = [models.UniqueConstraint(fields=["bureau", "name"], name="feature_once")]
