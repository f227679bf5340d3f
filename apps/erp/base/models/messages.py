"""Messages: e-mails to customers and members of a bureau, and what its channels are sent."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from apps.erp.base.model_fields import (
    BureauForeignKey,
    name_field,
    short_text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Bureau
from apps.users import interface as users
from core.outbound.stored_secrets import decrypted
from core.state_machine import Stateful, Targets

Kind = users.notifications.Kind
MAX_SUBJECT = 200
MAX_BODY = 5000


class MessageMoment(models.TextChoices):
    """What a customer is informed of."""

    RECEIVED = "received"
    PRICED = "priced"
    QUESTION = "question"
    CONFIRMED = "confirmed"
    INVOICE = "invoice"
    PAYMENT_RECEIVED = "payment-received"
    IN_PRODUCTION = "in-production"
    SHIPPED = "shipped"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    APPROVAL = "approval"
    DECLINED = "declined"


class StaffMoment(models.TextChoices):
    """What members of a bureau are informed of, if they want it."""

    ORDER_REVIEW = "order-review"
    QUOTE_ACCEPTED = "quote-accepted"


# What channels are informed of: the notifications that are about a bureau.
CHANNEL_MOMENTS = {kind.value: kind.label for kind in Kind if kind is not Kind.JOB_FAILED}
TEST = "test"  # the moment of a test message to a channel
MOMENTS = {
    **dict([*MessageMoment.choices, *StaffMoment.choices]),
    **CHANNEL_MOMENTS,
    TEST: "Test",
}


class NotificationChannel(BureauResource):
    """A chat or push service that the staff of a bureau is informed by, through Apprise.

    url        : address with the service's secrets; encrypted, and never returned
    masked_url : its scheme, and its host where it names one
    moments    : at which it is informed
    last_sent  : when the service last took a message
    error      : why it did not take the last one; empty if it did
    """

    KIND = "notification-channel"
    RIGHT = "customer.all"
    PRIVATE = frozenset({"creator", "url"})
    READ_ONLY = frozenset({"masked_url", "last_sent", "error"})

    name = name_field()
    url = models.BinaryField(editable=False)
    masked_url = models.CharField(max_length=300)
    moments = models.JSONField()
    enabled = models.BooleanField(default=True)
    last_sent = models.DateTimeField(null=True, blank=True)
    error = short_text_field()
    creator = user_field()

    @property
    def plain_url(self) -> str:
        """The address; empty where it cannot be decrypted any more."""
        return decrypted(bytes(self.url), row=f"{self.KIND} {self.bureau_id}")


class Message(BureauResource, Stateful):
    """An e-mail about an order, or a message to a channel, written with the change it is about.

    order        : null for a test mail, and for a message to a member or a channel
    channel      : null for an e-mail
    recipient    : empty for a channel
    text         : `{link}` in it is replaced when it is sent: the link is a secret
    message_id   : of the header Message-ID, the same at each attempt
    next_attempt : when it is sent; null when it has ended
    refused      : whether the server rejected it for good; the address gets no further mails
    error        : why the last attempt failed, or the mail is held
    forced       : whether it is sent although the address rejected an earlier one

    waiting : until `next_attempt`
    sending : committed before the first byte is sent; after a crash it is sent again
    held    : never sent: the address rejected an earlier mail, or has had too many in a day
    """

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENDING = "sending"
        SENT = "sent"
        FAILED = "failed"
        HELD = "held"

    KIND = "message"
    READ_ONLY = frozenset(
        {
            *("order", "channel", "moment", "recipient", "language", "subject", "text", "status"),
            *("attempts", "error", "refused", "next_attempt", "sent_at", "message_id"),
        }
    )
    PRIVATE = frozenset({"creator", "forced"})
    SORTED: ClassVar[tuple[str, ...]] = ("sent_at",)
    TRANSITIONS = {
        Status.WAITING: Targets(Status.SENDING, Status.HELD, Status.FAILED),
        Status.SENDING: Targets(Status.SENT, Status.WAITING, Status.FAILED),
    }

    order = BureauForeignKey(
        "erp.Order", models.CASCADE, null=True, blank=True, related_name="messages", db_index=False
    )
    channel = BureauForeignKey(
        NotificationChannel, models.CASCADE, null=True, blank=True, db_index=False
    )
    moment = models.CharField(max_length=32, choices=[*MOMENTS.items()])
    recipient = models.EmailField(blank=True, default="")
    language = models.CharField(max_length=2, choices=Bureau.Language)
    subject = models.CharField(max_length=MAX_SUBJECT)
    text = models.TextField(max_length=MAX_BODY)
    status = models.CharField(max_length=16, choices=Status, default=Status.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    error = short_text_field()
    refused = models.BooleanField(default=False)
    forced = models.BooleanField(default=False)
    next_attempt = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)
    message_id = short_text_field()
    creator = user_field()

    class Meta(BureauResource.Meta):
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["order", "uuid"], name="message_of_order"),
            models.Index(fields=["channel", "uuid"], name="message_of_channel"),
            models.Index(fields=["bureau", "sent_at"], name="message_sent"),
            models.Index(Lower("recipient"), "uuid", name="message_recipient"),
            models.Index(
                fields=["next_attempt"],
                name="message_due",
                condition=models.Q(status__in=["waiting", "sending"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.moment} to {self.recipient or self.channel_id}"
