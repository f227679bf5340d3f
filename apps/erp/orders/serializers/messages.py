"""Messages to customers as JSON, and the requests for previews and tests."""

from typing import Annotated, Literal, TypedDict

from rest_framework import serializers

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import (
    CHANNEL_MOMENTS,
    MAX_BODY,
    MAX_SUBJECT,
    MessageMoment,
    NotificationChannel,
)
from apps.erp.base.serializers.resources import answer_of, serializer_of
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


NotificationChannelSerializer = serializer_of(
    NotificationChannel,
    url=StrictText(
        max_length=1000,
        write_only=True,
        help_text="Address of the service as Apprise writes it; stored encrypted.",
    ),
    moments=serializers.ListField(
        child=Choice(choices=[*CHANNEL_MOMENTS.items()]), max_length=len(CHANNEL_MOMENTS)
    ),
)


class NotificationChannelBeside(TypedDict):
    """What the columns of a channel do not say."""

    moments: list[Annotated[str, Literal[*CHANNEL_MOMENTS]]]


NotificationChannelAnswer = answer_of(NotificationChannel, NotificationChannelBeside)


class MessagePreviewAnswer(TypedDict):
    """A text with sample values."""

    subject: str
    text: str
