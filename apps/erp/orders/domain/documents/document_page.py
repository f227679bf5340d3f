"""The page of a document as HTML: made of its frozen data, drawn as PDF by a sandboxed job."""

import base64
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from uuid import UUID

import segno
from babel.dates import format_date
from babel.numbers import format_currency, format_decimal
from django.template.loader import render_to_string
from stdnum import iban

from apps.erp.base.models.bureaus import Logo
from apps.erp.orders.domain.customer_messages.message_html import DEFAULT_ACCENT
from apps.erp.orders.domain.documents.document_content import DocumentData, DocumentLine, Party
from apps.erp.orders.domain.documents.document_labels import labels_of
from apps.erp.orders.models.documents import DocumentType
from core.money import minor_digits
from pricing.making import exact

Fact = tuple[str, str]
BILLS = (DocumentType.INVOICE, DocumentType.CREDIT_NOTE)
OFFERS = (DocumentType.QUOTE, DocumentType.CONFIRMATION)  # with the expected date


def page_of(data: DocumentData, *, logo: bytes | None, accent: str) -> str:
    """Return the page of a document. All texts in it are escaped.

    logo   : PNG
    accent : #RRGGBB, on which white text is readable; empty: that of the platform
    """
    labels, seller = labels_of(data["language"]), data["seller"]
    title = f"{labels[data['type']]} {data['number']}".strip()
    is_note = data["type"] == DocumentType.DELIVERY_NOTE
    recipient = [data["buyer"]["name"], *_lines(data["buyer"]["address"])]
    if is_note and data["ship_to"]:
        recipient = _lines(data["ship_to"])
    context = letterhead(data["language"], seller, logo=logo, accent=accent) | {
        "data": data,
        "title": title,
        "sender": _filled([seller["name"], *_lines(seller["address"])]),
        "facts": _facts(data),
        "is_note": is_note,
        "recipient": recipient,
        "ship_to": "" if is_note else ", ".join(_lines(data["ship_to"])),
        "corrects": _correction(data),
        "lines": [_line(data, line) for line in data["lines"]],
        "totals": [] if is_note else _totals(data),
        "notes": _notes(data),
        "transfer": _transfer(data),
        "qr": _qr(data["epc"]),
    }
    return render_to_string("documents/document.html", context)


def letterhead(
    language: str, seller: Party, *, logo: bytes | None, accent: str
) -> dict[str, object]:
    """Return what documents/base.html needs beside title and data: labels and brand of a shop."""
    labels = labels_of(language)
    return {
        "labels": labels,
        "accent": accent or DEFAULT_ACCENT,
        "logo": png_url(logo) if logo else None,
        "contact": _filled(
            [
                seller["name"] if logo else "",
                *_lines(seller["address"]),
                seller["email"],
                seller["phone"],
                seller["website"],
            ]
        ),
        "footer": _filled(
            [
                seller["name"],
                *_lines(seller["address"]),
                f"{labels['vat']} {seller['vat_number']}" if seller["vat_number"] else "",
            ]
        ),
    }


def logo_of(bureau: UUID) -> bytes | None:
    """Return the logo of a bureau as PNG."""
    logo = Logo.objects.filter(bureau=bureau).values_list("content", flat=True).first()
    return bytes(logo) if logo else None


def png_url(content: bytes) -> str:
    """Return a picture as a URL that has its content."""
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"


def _facts(data: DocumentData) -> list[Fact]:
    labels = labels_of(data["language"])
    issued = _day(data, data["issued_on"])
    is_bill = data["type"] in BILLS
    parcel = data.get("shipment") or {"number": "", "carrier": "", "tracking_number": ""}
    facts = [
        (labels["number"], data["number"]),
        (labels["date"], issued),
        (labels["supply"], labels["supply_today"] if data["type"] == DocumentType.INVOICE else ""),
        (labels["order"], str(data["order_number"])),
        (labels["reference"], data["customer_reference"]),
        (labels["your_vat"], data["buyer"]["vat_number"] if is_bill else ""),
        (labels["shipment"], str(parcel["number"])),
        (labels["carrier"], parcel["carrier"]),
        (labels["tracking"], parcel["tracking_number"]),
    ]
    return [fact for fact in facts if fact[1]]


def _line(data: DocumentData, line: DocumentLine) -> dict[str, str]:
    language = data["language"]
    labels = labels_of(language)
    is_priced = line["net"] is not None and line["unit"] is not None
    digits = minor_digits(data["currency"])
    pattern = f"#,##0.{'0' * digits}{'#' * (4 - digits)}" if digits else "#,##0.####"
    return {
        "name": line["name"],
        "detail": line["detail"],
        "quantity": format_decimal(line["quantity"], locale=language),
        "unit": format_decimal(exact(line["unit"] or 0), format=pattern, locale=language)
        if is_priced
        else "",
        "net": _money(data, line["net"]) if is_priced else labels["on_request"],
    }


def _totals(data: DocumentData) -> list[tuple[str, str, bool]]:
    """Rows of the totals: label, amount, whether it is the sum."""
    labels = labels_of(data["language"])
    if data["gross"] is None:
        return [(labels["total_net"], _money(data, data["net"]), True)]
    rows = [(labels["net"], _money(data, data["net"]), False)]
    for tax in data["taxes"]:
        rate = format_decimal(exact(tax["rate"]), locale=data["language"])
        label = labels["tax"].format(rate=rate)
        rows.append((label, _money(data, tax["amount"]), False))
    return [*rows, (labels["total"], _money(data, data["gross"]), True)]


def _notes(data: DocumentData) -> list[str]:
    labels = labels_of(data["language"])
    notes = [tax["sentence"] or "" for tax in data["taxes"]]
    if data["valid_until"]:
        notes.append(labels["valid"].format(date=_day(data, data["valid_until"])))
    if data["delivery"] and data["type"] in OFFERS:
        notes.append(labels["delivery"].format(date=_day(data, data["delivery"])))
    if data["is_paid"]:
        notes.append(labels["paid"])
    elif data["due_on"]:
        amount, due = _money(data, data["gross"]), _day(data, data["due_on"])
        notes.append(labels["due"].format(amount=amount, date=due))
    elif data["type"] == DocumentType.INVOICE:
        notes.append(labels["to_pay"].format(amount=_money(data, data["gross"])))
    return _filled(notes)


def _transfer(data: DocumentData) -> list[Fact]:
    labels, account = labels_of(data["language"]), data["account"]
    if account is None:
        return []
    facts = [
        (labels["holder"], account["account_holder"]),
        ("IBAN", iban.format(account["iban"])),
        ("BIC", account["bic"]),
        (labels["remittance"], data["number"]),
    ]
    return [fact for fact in facts if fact[1]]


def _correction(data: DocumentData) -> str:
    invoice = data["corrects"]
    if invoice is None:
        return ""
    issued = _day(data, invoice["issued_on"])
    return labels_of(data["language"])["corrects"].format(number=invoice["number"], date=issued)


def _qr(content: str | None) -> str | None:
    if not content:
        return None
    code = segno.make_qr(content, error="m", boost_error=False)
    return str(code.svg_data_uri(border=0, dark="#1b2430"))


def _day(data: DocumentData, day: str) -> str:
    return format_date(date.fromisoformat(day), "long", locale=data["language"])


def _money(data: DocumentData, amount: float | Decimal | None) -> str:
    if amount is None:
        return labels_of(data["language"])["on_request"]
    return format_currency(exact(amount), data["currency"], locale=data["language"])


def _lines(text: str) -> list[str]:
    return _filled(line.strip() for line in text.splitlines())


def _filled(texts: Iterable[str]) -> list[str]:
    return [text for text in texts if text]
