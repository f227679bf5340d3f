"""Write messages to customers in the transaction of the change that they are about."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta

from babel.dates import format_date
from django.conf import settings
from django.utils import timezone

from apps.erp.base.domain.channel_messages import FALLBACK, enqueue
from apps.erp.base.models.access import is_member
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import MAX_SUBJECT, Message, MessageMoment, StaffMoment
from apps.erp.orders.domain.customer_messages.message_texts import (
    DEFAULTS,
    OFF_BY_DEFAULT,
    STAFF_DEFAULTS,
    MessageText,
    one_line,
    plain_name,
    render,
)
from apps.erp.orders.models.messages import MessageTemplate, StaffNotification
from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.shipments import Shipment
from core.auth_user import Person
from core.keys import uuid7
from core.postgres import advisory_locks
from core.uris import base_url

COLLECT_SECONDS = 60  # in which the changes of an order become one mail
# News of their own: their messages replace none, and none replaces them.
OF_THEIR_OWN = frozenset(
    {
        *(MessageMoment.INVOICE, MessageMoment.PAYMENT_RECEIVED),
        *(MessageMoment.APPROVAL, MessageMoment.DECLINED),
    }
)
# The changes of an order's status that its customer is informed of. It can also go back, as when a
# build is cancelled, which is no news.
FORWARD = {
    ("new", "confirmed"): MessageMoment.CONFIRMED,
    ("new", "in-progress"): MessageMoment.CONFIRMED,
    ("cancelled", "confirmed"): MessageMoment.CONFIRMED,
    ("confirmed", "in-progress"): MessageMoment.IN_PRODUCTION,
    ("confirmed", "complete"): MessageMoment.COMPLETED,
    ("in-progress", "complete"): MessageMoment.COMPLETED,
    ("new", "cancelled"): MessageMoment.CANCELLED,
    ("confirmed", "cancelled"): MessageMoment.CANCELLED,
    ("in-progress", "cancelled"): MessageMoment.CANCELLED,
}


def record(
    order: Order,
    moment: MessageMoment,
    *,
    valid_until: datetime | None = None,
    amount: str = "",
    document: str = "",
    tracking: str | None = None,
    remaining: str = "",
) -> Message | None:
    """Write the message of a moment to the customer of an order, and enqueue it.

    It replaces the one of the order that is still waiting, unless that is of a payment, an invoice
    or a shipment; that of the first shipment replaces the one of the completed order. None where
    there is no customer with an address, the moment is switched off, or the customer has been
    informed of it already.

    valid_until : of the quote
    amount      : of the payment or the invoice
    document    : number of the invoice
    tracking    : of the shipment; None: that of the order
    remaining   : number of pieces that are not shipped yet
    """
    customer = order.customer
    own = _of_their_own(order)
    if customer is None or not customer.email or _is_repeated(order, moment, own):
        return None
    bureau = order.bureau
    language = customer.language or bureau.language or FALLBACK
    template = template_of(bureau, moment, language)
    if template is None:
        return None
    values = {
        **values_of(order, language, valid_until=valid_until, amount=amount),
        "document": document,
        "remaining": remaining,
    }
    if tracking is not None:
        values["tracking"] = one_line(tracking)
    advisory_locks.advisory_lock(f"messages of {order.pk}")
    now = timezone.now()
    replaced = [] if moment in own else [each for each in MessageMoment if each not in own]
    shipped = order.shipments.filter(shipped__isnull=False)
    if moment == MessageMoment.SHIPPED and shipped.count() == 1:
        replaced = [moment, MessageMoment.COMPLETED]
    waiting = order.messages.filter(status=Message.Status.WAITING, moment__in=replaced)
    times = [at for at in waiting.values_list("next_attempt", flat=True) if at]
    waiting.delete()
    return write(
        bureau=bureau,
        order=order,
        creator=order.creator,
        moment=moment,
        language=language,
        recipient=customer.email,
        text=render(template, values),
        next_attempt=min([*times, now + timedelta(seconds=COLLECT_SECONDS)]),
    )


def record_for(
    order: Order, moment: MessageMoment, *, recipients: Iterable[str], amount: str = ""
) -> None:
    """Write the message of a moment to other people of the customer's company."""
    customer, bureau = order.customer, order.bureau
    language = (customer.language if customer else "") or bureau.language or FALLBACK
    template = template_of(bureau, moment, language)
    if template is None:
        return
    text = render(template, values_of(order, language, amount=amount))
    for recipient in recipients:
        write(
            bureau=bureau,
            order=order,
            creator=order.creator,
            moment=moment,
            language=language,
            recipient=recipient,
            text=text,
            next_attempt=timezone.now(),
        )


def record_status(order: Order, before: str) -> None:
    """Write the message of a new status of an order, if customers get one for it.

    Each shipment of an order has a message of its own. Without any, a complete order was shipped
    if it has a tracking number or its parts had a step of shipping; else it is ready.
    """
    moment = FORWARD.get((before, str(order.status)))
    if moment == MessageMoment.COMPLETED:
        if MessageMoment.SHIPPED in _of_their_own(order):
            return
        if order.shipping_tracking or _has_shipping_step(order):
            moment = MessageMoment.SHIPPED
    if moment:
        record(order, moment)


def _has_shipping_step(order: Order) -> bool:
    return order.line_items.filter(workflow__steps__shipping__isnull=False).exists()


def _of_their_own(order: Order) -> frozenset[MessageMoment]:
    """The moments of an order whose messages are repeated, and replace none."""
    has_shipments = order.shipments.exclude(status=Shipment.Status.CANCELLED).exists()
    return OF_THEIR_OWN | {MessageMoment.SHIPPED} if has_shipments else OF_THEIR_OWN


def record_for_staff(order: Order, moment: StaffMoment) -> list[Message]:
    """Write the messages of a moment to the members who want them, and enqueue them.

    Members who have left the bureau, or whose account has ended, get none.
    """
    bureau = order.bureau
    wanted = StaffNotification.objects.filter(bureau=bureau, moment=moment, creator__is_active=True)
    people = [row.creator for row in wanted.select_related("creator").order_by("pk")]
    if not people:
        return []
    language = bureau.language or FALLBACK
    page = f"{base_url('')}/order/{order.pk}/"
    text = render(STAFF_DEFAULTS[language][moment], {**values_of(order, language), "page": page})
    return [
        write(
            bureau=bureau,
            order=None,
            creator=person,
            moment=moment,
            language=language,
            recipient=person.email,
            text=text,
            next_attempt=timezone.now(),
        )
        for person in people
        if person.email and is_member(person, bureau)
    ]


def write(
    *,
    bureau: Bureau,
    order: Order | None,
    creator: Person,
    moment: str,
    language: str,
    recipient: str,
    text: MessageText,
    next_attempt: datetime,
    forced: bool = False,
) -> Message:
    """Create a message that waits, and enqueue it for `next_attempt`.

    forced : sent although the address rejected an earlier one
    """
    key = uuid7()
    row = Message.objects.create(
        uuid=key,
        bureau=bureau,
        order=order,
        creator=creator,
        moment=moment,
        language=language,
        recipient=recipient,
        subject=text.subject[:MAX_SUBJECT],
        text=text.text,
        next_attempt=next_attempt,
        forced=forced,
        message_id=f"<{key}@{settings.PARENT_HOST}>",
    )
    enqueue(row)
    return row


def template_of(bureau: Bureau, moment: str, language: str) -> MessageText | None:
    """Return the text of a moment, the bureau's or the default; None where it is switched off."""
    row = MessageTemplate.objects.filter(bureau=bureau, moment=moment, language=language).first()
    default = DEFAULTS[language][moment]
    if row is None:
        return None if moment in OFF_BY_DEFAULT else default
    if not row.enabled:
        return None
    return MessageText(row.subject or default.subject, row.text or default.text)


def values_of(
    order: Order, language: str, *, valid_until: datetime | None = None, amount: str = ""
) -> Mapping[str, str]:
    """Return the values of the placeholders, all but the link; empty where there is none."""
    return {
        "order": str(order.number),
        "shop": one_line(order.bureau.name),
        "customer": plain_name(order.customer_name),
        "due_date": day(order.due_date, language),
        "valid_until": day(valid_until, language),
        "tracking": one_line(order.shipping_tracking),
        "amount": amount,
        "document": "",
        "remaining": "",
    }


def day(at: datetime | None, language: str) -> str:
    """Return a date in a language; empty without one."""
    return "" if at is None else format_date(at.date(), "long", locale=language)


def _is_repeated(order: Order, moment: MessageMoment, own: Collection[MessageMoment]) -> bool:
    """Whether the order has this message; a cancelled one that is reopened begins anew.

    Each quote, invoice, payment and shipment has its own.
    """
    moments = list(order.messages.order_by("pk").values_list("moment", flat=True))
    if moment == MessageMoment.CANCELLED:
        return moments[-1:] == [MessageMoment.CANCELLED]
    if MessageMoment.CANCELLED in moments:
        last = len(moments) - 1 - moments[::-1].index(MessageMoment.CANCELLED)
        moments = moments[last + 1 :]
    repeatable = (MessageMoment.PRICED, *own)
    return moment not in repeatable and moment in moments
