"""Texts of messages to customers: defaults by language, placeholders, rendering.

A placeholder is a name in braces. It is replaced as text, once: there is no template language, and
a value with braces in it is not replaced again. A line with a placeholder that has no value is left
out.
"""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

LINK = "link"
# Names that a text may have in braces. What a visitor typed is not among them, but for a name.
PLACEHOLDERS = (
    *("order", LINK, "shop", "customer", "due_date", "valid_until", "tracking", "amount"),
    *("document", "remaining"),
)
MAX_NAME = 60
PLACEHOLDER = re.compile(r"\{([^{}\s]{1,40})\}")
_WORD = r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?"
_NAME = re.compile(rf"{_WORD}(?: {_WORD})*")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")


class MessageText(NamedTuple):
    """Subject and text of a mail."""

    subject: str
    text: str


DEFAULTS: dict[str, dict[str, MessageText]] = {
    "en": {
        "received": MessageText(
            "We received your order {order}",
            "Hello,\n\nThank you for your order {order}. You can follow it on this page:\n"
            "{link}\n\n"
            "Please keep this link: everybody who has it sees the order.\n\n{shop}",
        ),
        "priced": MessageText(
            "Quote for your order {order}",
            "Hello,\n\nThe quote for your order {order} is ready. You can read and accept it on "
            "this page:\n{link}\n\nThe quote is valid until {valid_until}.\n\n{shop}",
        ),
        "question": MessageText(
            "Your decision on order {order}",
            "Hello,\n\nWe checked the files of your order {order} and found places that may not "
            "print well. Please look at the report and decide how we continue:\n{link}\n\n{shop}",
        ),
        "confirmed": MessageText(
            "Your order {order} is confirmed",
            "Hello,\n\nYour order {order} is confirmed.\nExpected date: {due_date}\n\n"
            "You can follow it on this page:\n{link}\n\n{shop}",
        ),
        "invoice": MessageText(
            "Invoice {document} for your order {order}",
            "Hello,\n\nThe invoice {document} for your order {order} is ready. You can download it "
            "on this page:\n{link}\n\nAmount: {amount}\n\n{shop}",
        ),
        "payment-received": MessageText(
            "Payment of your order {order} received",
            "Hello,\n\nWe received your payment for the order {order}. Thank you.\n"
            "Amount: {amount}\n\n"
            "The order:\n{link}\n\n{shop}",
        ),
        "in-production": MessageText(
            "Your order {order} is in production",
            "Hello,\n\nThe parts of your order {order} are being made.\n"
            "Expected date: {due_date}\n\n"
            "You can follow the order on this page:\n{link}\n\n{shop}",
        ),
        "shipped": MessageText(
            "Your order {order} has been shipped",
            "Hello,\n\nYour order {order} has been shipped.\nTracking: {tracking}\n"
            "Pieces that follow later: {remaining}\n\n"
            "The order:\n{link}\n\n{shop}",
        ),
        "completed": MessageText(
            "Your order {order} is complete",
            "Hello,\n\nAll parts of your order {order} are made. If you collect them, they are "
            "ready.\n\nThe order:\n{link}\n\n{shop}",
        ),
        "approval": MessageText(
            "Order {order} needs your approval",
            "Hello,\n\nThe order {order} of {customer} at {shop} is above the limit of your "
            "company.\nAmount: {amount}\n\nYou see it on this page, and approve or decline it in "
            "your customer account:\n{link}\n\n{shop}",
        ),
        "declined": MessageText(
            "Your order {order} was declined by your company",
            "Hello,\n\nAn approver of your company has declined the order {order}. It will not "
            "be produced without an approval.\n\n"
            "The order, with the reason if one was given:\n{link}\n\n{shop}",
        ),
        "cancelled": MessageText(
            "Your order {order} has been cancelled",
            "Hello,\n\nYour order {order} has been cancelled. If you have questions, reply to "
            "this e-mail.\n\nThe order:\n{link}\n\n{shop}",
        ),
    },
    "de": {
        "received": MessageText(
            "Ihre Bestellung {order} ist eingegangen",
            "Guten Tag,\n\nvielen Dank für Ihre Bestellung {order}. Den Stand sehen Sie auf dieser "
            "Seite:\n{link}\n\n"
            "Bitte bewahren Sie den Link auf: Wer ihn hat, sieht die Bestellung.\n\n{shop}",
        ),
        "priced": MessageText(
            "Angebot zu Ihrer Bestellung {order}",
            "Guten Tag,\n\ndas Angebot zu Ihrer Bestellung {order} ist fertig. Auf dieser Seite "
            "können Sie es lesen und annehmen:\n{link}\n\n"
            "Das Angebot gilt bis {valid_until}.\n\n{shop}",
        ),
        "question": MessageText(
            "Ihre Entscheidung zur Bestellung {order}",
            "Guten Tag,\n\nwir haben die Dateien Ihrer Bestellung {order} geprüft und Stellen "
            "gefunden, die möglicherweise nicht gut gedruckt werden. Bitte sehen Sie sich den "
            "Bericht an und entscheiden Sie, wie es weitergeht:\n{link}\n\n{shop}",
        ),
        "confirmed": MessageText(
            "Ihre Bestellung {order} ist bestätigt",
            "Guten Tag,\n\nIhre Bestellung {order} ist bestätigt.\n"
            "Voraussichtlicher Termin: {due_date}\n\n"
            "Den Stand sehen Sie auf dieser Seite:\n{link}\n\n{shop}",
        ),
        "invoice": MessageText(
            "Rechnung {document} zu Ihrer Bestellung {order}",
            "Guten Tag,\n\ndie Rechnung {document} zu Ihrer Bestellung {order} ist fertig. Auf "
            "dieser Seite können Sie sie herunterladen:\n{link}\n\nBetrag: {amount}\n\n{shop}",
        ),
        "payment-received": MessageText(
            "Zahlung zu Ihrer Bestellung {order} eingegangen",
            "Guten Tag,\n\nIhre Zahlung zur Bestellung {order} ist eingegangen. Vielen Dank.\n"
            "Betrag: {amount}\n\n"
            "Die Bestellung:\n{link}\n\n{shop}",
        ),
        "in-production": MessageText(
            "Ihre Bestellung {order} ist in Produktion",
            "Guten Tag,\n\ndie Teile Ihrer Bestellung {order} werden hergestellt.\n"
            "Voraussichtlicher Termin: {due_date}\n\n"
            "Den Stand sehen Sie auf dieser Seite:\n{link}\n\n{shop}",
        ),
        "shipped": MessageText(
            "Ihre Bestellung {order} wurde versandt",
            "Guten Tag,\n\nIhre Bestellung {order} wurde versandt.\n"
            "Sendungsverfolgung: {tracking}\n"
            "Teile, die später folgen: {remaining}\n\n"
            "Die Bestellung:\n{link}\n\n{shop}",
        ),
        "completed": MessageText(
            "Ihre Bestellung {order} ist fertig",
            "Guten Tag,\n\nalle Teile Ihrer Bestellung {order} sind hergestellt. Wenn Sie sie "
            "abholen, liegen sie bereit.\n\nDie Bestellung:\n{link}\n\n{shop}",
        ),
        "approval": MessageText(
            "Bestellung {order} braucht Ihre Freigabe",
            "Guten Tag,\n\ndie Bestellung {order} von {customer} bei {shop} liegt über der Grenze "
            "Ihrer Firma.\nBetrag: {amount}\n\nSie sehen sie auf dieser Seite und geben sie in "
            "Ihrem Kundenkonto frei oder lehnen sie ab:\n{link}\n\n{shop}",
        ),
        "declined": MessageText(
            "Ihre Bestellung {order} wurde in Ihrer Firma abgelehnt",
            "Guten Tag,\n\neine freigebende Person Ihrer Firma hat die Bestellung {order} "
            "abgelehnt. Ohne Freigabe wird sie nicht hergestellt.\n\n"
            "Die Bestellung, mit der Begründung, falls eine angegeben ist:\n{link}\n\n{shop}",
        ),
        "cancelled": MessageText(
            "Ihre Bestellung {order} wurde storniert",
            "Guten Tag,\n\nIhre Bestellung {order} wurde storniert. Bei Fragen antworten Sie auf "
            "diese E-Mail.\n\nDie Bestellung:\n{link}\n\n{shop}",
        ),
    },
}
STAFF_DEFAULTS: dict[str, dict[str, MessageText]] = {
    "en": {
        "order-review": MessageText(
            "Order {order} waits for a review",
            "The order {order} was placed at the storefront and waits for a review.\n"
            "Customer: {customer}\n\n{page}",
        ),
        "quote-accepted": MessageText(
            "Quote of order {order} accepted",
            "The customer has accepted the quote of the order {order}.\n"
            "Customer: {customer}\n\n{page}",
        ),
    },
    "de": {
        "order-review": MessageText(
            "Auftrag {order} wartet auf Prüfung",
            "Der Auftrag {order} ist auf der Ladenseite eingegangen und wartet auf Prüfung.\n"
            "Kunde: {customer}\n\n{page}",
        ),
        "quote-accepted": MessageText(
            "Angebot zu Auftrag {order} angenommen",
            "Der Kunde hat das Angebot zum Auftrag {order} angenommen.\n"
            "Kunde: {customer}\n\n{page}",
        ),
    },
}
# Sent only where a bureau has switched them on.
OFF_BY_DEFAULT = frozenset({"in-production"})


def unknown_placeholders(text: str, allowed: Iterable[str] = PLACEHOLDERS) -> list[str]:
    """Return the names in braces that are none of the allowed placeholders."""
    names = dict.fromkeys(PLACEHOLDER.findall(text))
    return [name for name in names if name not in set(allowed)]


def render(template: MessageText, values: Mapping[str, str]) -> MessageText:
    """Return subject and text with these values; a placeholder without an entry stays."""
    lines = [
        _replaced(line, values)
        for line in template.text.splitlines()
        if not any(values.get(name) == "" for name in PLACEHOLDER.findall(line))
    ]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip())
    return MessageText(one_line(_replaced(template.subject, values)), text)


def _replaced(text: str, values: Mapping[str, str]) -> str:
    return PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def one_line(text: str) -> str:
    """Return a text without line breaks and control characters, as headers need it."""
    return " ".join(_CONTROL.sub(" ", text).split())


def plain_name(text: str) -> str:
    """Return a name of letters; empty for any other text, such as one that has an address in it."""
    name = one_line(text)
    return name if len(name) <= MAX_NAME and _NAME.fullmatch(name) else ""
