"""Messages: e-mails to the customers of a bureau, and the texts that it has changed."""

from typing import ClassVar

from django.db import models
from django.db.models.functions import Lower

from apps.erp.base.model_fields import BureauForeignKey, short_text_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.prices import CUSTOMER_RIGHT
from core.state_machine import Stateful, Targets

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


class Message(BureauResource, Stateful):
    """An e-mail about an order, written in the transaction of the change that it is about.

    order        : null for a test mail, and for a mail to a member
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
            *("order", "moment", "recipient", "language", "subject", "text", "status"),
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
        Order, models.CASCADE, null=True, blank=True, related_name="messages", db_index=False
    )
    moment = models.CharField(max_length=16, choices=[*MessageMoment.choices, *StaffMoment.choices])
    recipient = models.EmailField()
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
            models.Index(fields=["bureau", "sent_at"], name="message_sent"),
            models.Index(Lower("recipient"), "uuid", name="message_recipient"),
            models.Index(
                fields=["next_attempt"],
                name="message_due",
                condition=models.Q(status__in=["waiting", "sending"]),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.moment} to {self.recipient}"


class MessageTemplate(BureauResource):
    """The text of a moment in a language, where a bureau has changed it or switched it off.

    subject, text : empty: the platform's
    """

    KIND = "message-template"
    RIGHT = CUSTOMER_RIGHT
    FIXED = frozenset({"moment", "language"})
    PRIVATE = frozenset({"creator"})

    moment = models.CharField(max_length=16, choices=MessageMoment)
    language = models.CharField(max_length=2, choices=Bureau.Language)
    enabled = models.BooleanField(default=True)
    subject = models.CharField(max_length=MAX_SUBJECT, blank=True, default="")
    text = models.TextField(max_length=MAX_BODY, blank=True, default="")
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["bureau", "moment", "language"], name="message_template_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.moment} ({self.language})"


class StaffNotification(BureauResource):
    """A moment at which a member of a bureau wants an e-mail: its row is there, or it is not."""

    KIND = "staff-notification"
    FIXED = frozenset({"moment"})
    PRIVATE = frozenset({"creator"})

    moment = models.CharField(max_length=16, choices=StaffMoment)
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["bureau", "creator", "moment"], name="staff_notification_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.moment} of {self.creator_id}"
