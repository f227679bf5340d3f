"""Send messages again, and send test mails."""

from django.db import transaction
from django.utils import timezone

from apps.erp.base.domain import channel_messages
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import Message
from apps.erp.orders.actors.messages import send_message as send_message  # known to the broker
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.customer_messages.message_texts import MessageText
from core.auth_user import Person
from core.errors import Conflict


class NoEmailAddress(Conflict):
    """The recipient has no e-mail address."""

    code = "no-email-address"


class MessageNotEnded(Conflict):
    """A message that waits or is being sent is sent anyway."""

    code = "message-not-ended"


@transaction.atomic
def send_again(*, actor: Person, row: Message) -> Message:
    """Send a copy of a message at once, to the channel or the present address of the customer.

    An address that rejected a mail before gets it nevertheless. Raises NoEmailAddress and
    MessageNotEnded.
    """
    Message.objects.select_for_update(of=("self",)).get(pk=row.pk)
    row.refresh_from_db()
    if row.status in (Message.Status.WAITING, Message.Status.SENDING):
        raise MessageNotEnded(
            f"The message is {row.status}: it is sent without a request. Wait until it has ended."
        )
    if row.channel is not None:
        return channel_messages.write(
            channel=row.channel,
            creator=actor,
            moment=row.moment,
            language=row.language,
            subject=row.subject,
            text=row.text,
            forced=True,
        )
    recipient = row.recipient
    if row.order is not None:
        recipient = row.order.customer.email if row.order.customer else ""
    if not recipient:
        raise NoEmailAddress("The customer of the order has no e-mail address: set one.")
    return messages.write(
        bureau=row.bureau,
        order=row.order,
        creator=actor,
        moment=row.moment,
        language=row.language,
        recipient=recipient,
        text=MessageText(row.subject, row.text),
        next_attempt=timezone.now(),
        forced=True,
    )


def send_test(
    *, actor: Person, bureau: Bureau, moment: str, language: str, text: MessageText
) -> Message:
    """Send a rendered text to the person who asks for it. Raises NoEmailAddress."""
    if not actor.email:
        raise NoEmailAddress("Your account has no e-mail address: set one, then try again.")
    with transaction.atomic():
        return messages.write(
            bureau=bureau,
            order=None,
            creator=actor,
            moment=moment,
            language=language,
            recipient=actor.email,
            text=text,
            next_attempt=timezone.now(),
            forced=True,
        )
