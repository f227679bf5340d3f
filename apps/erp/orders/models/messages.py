"""The texts of messages that a bureau has changed, and the e-mails that its members want."""

from django.db import models

from apps.erp.base.model_fields import user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import MAX_BODY, MAX_SUBJECT, MessageMoment, StaffMoment
from apps.erp.orders.models.prices import CUSTOMER_RIGHT


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
