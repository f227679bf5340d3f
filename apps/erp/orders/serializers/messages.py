"""Messages to customers as JSON, and the requests for previews and tests."""

from typing import TypedDict

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.messages import MAX_BODY, MAX_SUBJECT, MessageMoment
from core.api.fields import Choice, StrictSerializer, StrictText


class MessageDraftSerializer(StrictSerializer):
    """A text that is not saved."""

    moment = Choice(choices=MessageMoment.choices)
    language = Choice(choices=Bureau.Language.choices)
    subject = StrictText(
        max_length=MAX_SUBJECT,
        required=False,
        allow_blank=True,
        help_text="Subject, with placeholders; empty: the default.",
    )
    text = StrictText(
        max_length=MAX_BODY,
        required=False,
        allow_blank=True,
        help_text="Text, with placeholders; empty: the default.",
    )


class MessagePreviewAnswer(TypedDict):
    """A text with sample values."""

    subject: str
    text: str
