"""Jobs: send messages to customers by SMTP and to channels, and resume those whose job was lost.

The row is `sending`, and committed, before the first byte is sent. After a crash it is unknown
whether the server accepted the mail, so it is sent again with the same Message-ID, by which
receivers recognise the second copy: rows are sent exactly once, mails at least once.
"""

import smtplib
from datetime import timedelta
from email.utils import formataddr, parseaddr

import dramatiq
from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower
from django.utils import timezone

from apps.erp.base.domain.channel_messages import MAX_ERROR, enqueue
from apps.erp.base.models.messages import Message, NotificationChannel, StaffMoment
from apps.erp.orders.domain.customer_messages.mailed_links import mailed_token
from apps.erp.orders.domain.customer_messages.message_html import html_of
from apps.erp.orders.domain.customer_messages.message_texts import LINK, one_line
from apps.erp.orders.domain.customer_pages import order_page
from core.errors import ErrorEntry
from core.outbound import chat_services
from core.outbound.chat_services import NotAccepted
from core.postgres import advisory_locks
from core.queue.row_jobs import row_job

_Status = Message.Status
# Minutes from a failed attempt to the next one; after the last it has failed.
RETRY_MINUTES = (1, 5, 15, 60, 240, 720, 1440)
DAY = timedelta(days=1)
LOST_AFTER = timedelta(minutes=15)  # beyond its next attempt
MAX_RESUMED = 1000
PERMANENT = 500  # the first SMTP reply code that is final
SUPPRESSED = "The address rejected an earlier e-mail. Check it, then send again."
TOO_MANY_OF_ACCOUNT = (
    "The shops of the owner have sent {limit} e-mails within 24 hours. Send again tomorrow."
)
TOO_MANY_TO_CHANNELS = (
    "The channels of the owner's shops have had {limit} messages within 24 hours. Send again "
    "tomorrow."
)
SWITCHED_OFF = "The channel is switched off."
URL_LOST = "The address cannot be decrypted any more: enter it again."
TOO_MANY = "The address has had {limit} e-mails within 24 hours. Send again tomorrow."


class Rejected(Exception):
    """The mail server does not accept the mail for this recipient, now or ever."""


def move_to_failed(row: Message, errors: list[ErrorEntry]) -> None:
    """End a message whose job failed on our side again and again."""
    row.move(_Status.FAILED, error=errors[0]["title"][:MAX_ERROR], next_attempt=None)


@row_job(
    "mail",
    of=Message,
    begun_in=(_Status.WAITING, _Status.SENDING),
    fail=move_to_failed,
    related=("bureau", "order", "channel"),
)
def send_message(row: Message) -> None:
    """Send a message, or hold it; after a failure that may pass it waits for the next attempt."""
    body = _claim(row)
    if body is None:
        return
    try:
        _send(row, body)
    except (Rejected, NotAccepted) as error:
        row.move(_Status.FAILED, error=_reason(error), refused=True, next_attempt=None)
    except (smtplib.SMTPException, OSError) as error:
        _wait(row, _reason(error))
    else:
        row.move(_Status.SENT, error="", sent_at=timezone.now(), next_attempt=None)
    if row.channel is not None:
        sent = {"last_sent": row.sent_at} if row.sent_at else {}
        NotificationChannel.objects.filter(pk=row.channel.pk).update(error=row.error, **sent)


@dramatiq.actor(queue_name="default")
def resume_messages() -> None:
    """Enqueue messages that are overdue, as after a restored backup: once more is harmless."""
    ended = (_Status.SENT, _Status.FAILED, _Status.HELD)
    rows = Message.objects.exclude(status__in=ended)
    overdue = rows.filter(next_attempt__lt=timezone.now() - LOST_AFTER).order_by("next_attempt")
    for row in overdue[:MAX_RESUMED]:
        enqueue(row)


@transaction.atomic
def _claim(row: Message) -> str | None:
    """Set a message to sending, and return its text with the link; None where it is held."""
    advisory_locks.advisory_lock(f"mail to {row.recipient.lower() or row.channel_id}")
    if row.status == _Status.WAITING and (obstacle := _obstacle(row)):
        row.move(_Status.HELD, error=obstacle, next_attempt=None)
        return None
    if row.status == _Status.WAITING:
        row.move(_Status.SENDING, attempts=row.attempts + 1)
    else:
        Message.objects.filter(pk=row.pk).update(attempts=row.attempts + 1)
        row.attempts += 1
    if row.order is None or f"{{{LINK}}}" not in row.text:
        return row.text
    return row.text.replace(f"{{{LINK}}}", order_page(row.bureau_id, mailed_token(row.order)))


def _obstacle(row: Message) -> str:
    """Why a message is not sent; empty where it is."""
    if row.channel is not None and not (row.channel.enabled or row.forced):
        return SWITCHED_OFF
    start = timezone.now() - DAY
    allowed = settings.MAIL_ACCOUNT_DAY
    sent = Message.objects.filter(
        bureau__creator=row.bureau.creator_id,
        channel__isnull=row.channel is None,
        sent_at__gt=start,
    )
    if sent[:allowed].count() >= allowed:
        text = TOO_MANY_OF_ACCOUNT if row.channel is None else TOO_MANY_TO_CHANNELS
        return text.format(limit=allowed)
    if row.channel is not None:
        return ""
    others = _to_address(row.recipient).exclude(pk=row.pk)
    outcomes = others.filter(Q(status=_Status.SENT) | Q(refused=True), bureau=row.bureau_id)
    last = outcomes.order_by("-pk").first()
    if last is not None and last.refused and not row.forced:
        return SUPPRESSED
    if row.moment in StaffMoment:  # by their own wish: one for each order of a busy shop
        return ""
    limit = settings.MAIL_DAY
    recent = others.filter(sent_at__gt=start, status=_Status.SENT).count()
    if recent + others.filter(status=_Status.SENDING).count() >= limit:
        return TOO_MANY.format(limit=limit)
    return ""


def _to_address(address: str) -> QuerySet[Message]:
    return Message.objects.alias(address=Lower("recipient")).filter(address=address.lower())


def _send(row: Message, body: str) -> None:
    """Send the message. Raises Rejected, NotAccepted, SMTPException and OSError."""
    if row.channel is not None:
        if not row.channel.plain_url:
            raise NotAccepted(URL_LOST)
        chat_services.send(row.channel.plain_url, title=row.subject, text=body)
        return
    _, sender = parseaddr(settings.DEFAULT_FROM_EMAIL)
    email = EmailMultiAlternatives(
        one_line(row.subject),
        body,
        formataddr((one_line(row.bureau.name), sender)),
        [row.recipient],
        reply_to=[row.bureau.email] if row.bureau.email else None,
        headers={"Message-ID": row.message_id, "Auto-Submitted": "auto-generated"},
    )
    email.attach_alternative(html_of(row, body), "text/html")
    try:
        email.send()
    except smtplib.SMTPRecipientsRefused as error:
        replies = error.recipients.values()
        if all(code >= PERMANENT for code, _ in replies):
            raise Rejected(*next(iter(replies))) from error
        raise
    except smtplib.SMTPDataError as error:
        if error.smtp_code >= PERMANENT:
            raise Rejected(error.smtp_code, error.smtp_error) from error
        raise


@transaction.atomic
def _wait(row: Message, reason: str) -> None:
    if row.attempts > len(RETRY_MINUTES):
        row.move(_Status.FAILED, error=reason, next_attempt=None)
        return
    pause = timedelta(minutes=RETRY_MINUTES[row.attempts - 1])
    row.move(_Status.WAITING, error=reason, next_attempt=timezone.now() + pause)
    enqueue(row)


def _reason(error: Exception) -> str:
    """What the server answered, or why there was no answer, in one line."""
    reply: tuple[object, ...] = error.args
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        reply = next(iter(error.recipients.values()), ())
    parts = [part.decode(errors="replace") if isinstance(part, bytes) else part for part in reply]
    text = one_line(" ".join(map(str, parts))) or type(error).__name__
    return text[:MAX_ERROR]
