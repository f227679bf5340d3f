"""Messages to the channels of a bureau, written in the transaction of what they are about."""

import re
from collections import defaultdict
from collections.abc import Mapping

from django.conf import settings
from django.utils import timezone

from apps.erp.base.domain.channel_texts import DETAILS, TEST_TITLE, TITLES
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.messages import MAX_SUBJECT, TEST, Message, NotificationChannel
from core.auth_user import Person
from core.keys import uuid7
from core.queue.broker import enqueue_by_name
from core.uris import base_url

FALLBACK = "en"
MAX_ERROR = 200
MAX_VALUE = 60
# What services could take for a link, a mention or markup: values may come from visitors.
_MARKUP = re.compile(r"[^\w .,()+&-]|\.(?=[^\W\d])")


def record(kind: str, row: BureauResource, data: Mapping[str, object]) -> None:
    """Write the messages of a notification to the channels that are informed of its kind.

    data : names and numbers of its sentence
    """
    channels = NotificationChannel.objects.filter(
        bureau=row.bureau_id, enabled=True, moments__contains=[kind]
    )
    for channel in channels.select_related("bureau").order_by("pk"):
        language = channel.bureau.language or FALLBACK
        values = defaultdict(str, {name: _plain(value) for name, value in data.items()})
        titles = TITLES[language]
        title = titles.get(f"{kind}.{data.get('reason')}") or titles[kind]
        lines = [values[name] for name in DETAILS if values[name]]
        write(
            channel=channel,
            creator=channel.creator,
            moment=kind,
            language=language,
            subject=title.format_map(values),
            text="\n".join([*lines, f"{base_url('')}/{row.KIND}/{row.pk}/"]),
        )


def write(
    *,
    channel: NotificationChannel,
    creator: Person,
    moment: str,
    language: str,
    subject: str,
    text: str,
    forced: bool = False,
) -> Message:
    """Create a message to a channel, and enqueue it.

    forced : sent although the channel is switched off
    """
    key = uuid7()
    message = Message.objects.create(
        uuid=key,
        bureau=channel.bureau,
        channel=channel,
        creator=creator,
        moment=moment,
        language=language,
        subject=subject[:MAX_SUBJECT],
        text=text,
        next_attempt=timezone.now(),
        forced=forced,
        message_id=f"<{key}@{settings.PARENT_HOST}>",
    )
    enqueue(message)
    return message


def write_test(channel: NotificationChannel, *, creator: Person) -> Message:
    """Create the test message of a channel, which is also sent where it is switched off."""
    language = channel.bureau.language or FALLBACK
    return write(
        channel=channel,
        creator=creator,
        moment=TEST,
        language=language,
        subject=TEST_TITLE[language],
        text=f"{_plain(channel.bureau.name)}\n{base_url('')}/settings/channels/",
        forced=True,
    )


def enqueue(row: Message) -> None:
    """Enqueue a message that waits, for its next attempt."""
    wait = ((row.next_attempt or timezone.now()) - timezone.now()).total_seconds()
    enqueue_by_name("send_message", str(row.pk), delay=max(0, round(wait * 1000)) or None)


def _plain(value: object) -> str:
    text = str(round(value) if isinstance(value, float) else value)
    return " ".join(_MARKUP.sub(" ", text).split())[:MAX_VALUE]
