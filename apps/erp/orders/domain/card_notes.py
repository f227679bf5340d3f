"""Notes for the owner on card payments that are not as requested, by the language of the shop."""

from decimal import Decimal

from core.money import amount_text

FALLBACK = "en"
NOTES = {
    "en": {
        "amount": "The customer was asked for {requested} and has paid {paid}.",
        "currency": "Paid in {currency}: it does not count towards the amount due. Refund it at "
        "Stripe, or record its value by hand.",
        "overpaid": "The order is overpaid by {excess}: refund it at Stripe.",
        "cancelled": "The order is not confirmed, or was cancelled: refund it at Stripe.",
        "refund": "Refunded at Stripe.",
    },
    "de": {
        "amount": "Angefordert waren {requested}, bezahlt wurden {paid}.",
        "currency": "In {currency} bezahlt: zählt nicht zum offenen Betrag. Bei Stripe erstatten "
        "oder den Wert von Hand erfassen.",
        "overpaid": "Der Auftrag ist um {excess} überzahlt: bei Stripe erstatten.",
        "cancelled": "Der Auftrag ist nicht bestätigt oder wurde storniert: bei Stripe erstatten.",
        "refund": "Bei Stripe erstattet.",
    },
}


def note_of_payment(
    language: str,
    *,
    requested: tuple[Decimal, str],
    paid: tuple[Decimal, str],
    currency: str,
    rest: Decimal | None,
    is_payable: bool,
) -> str:
    """Return what is unusual about a payment; empty where nothing is.

    requested, paid : amount and currency
    currency        : of the order
    rest            : open amount of the order before the payment; None without a total
    """
    texts = NOTES.get(language, NOTES[FALLBACK])
    amount, paid_currency = paid
    lines = []
    if requested != paid:
        texts_of = {"requested": amount_text(*requested), "paid": amount_text(*paid)}
        lines.append(texts["amount"].format(**texts_of))
    if paid_currency != currency:
        lines.append(texts["currency"].format(currency=paid_currency))
    elif not is_payable:
        lines.append(texts["cancelled"])
    elif rest is not None and amount > max(rest, Decimal()):
        excess = amount_text(amount - max(rest, Decimal()), currency)
        lines.append(texts["overpaid"].format(excess=excess))
    return " ".join(lines)


def note_of_refund(language: str) -> str:
    """Return the note of a refund."""
    return NOTES.get(language, NOTES[FALLBACK])["refund"]
