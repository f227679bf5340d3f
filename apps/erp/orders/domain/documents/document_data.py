"""Frozen contents of documents: gathered from bureau, order, quote and bills."""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal

from apps.erp.base.domain.channel_messages import FALLBACK
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.domain.documents.billing import BilledLine
from apps.erp.orders.domain.documents.document_content import DocumentData, Party
from apps.erp.orders.domain.documents.document_labels import labels_of
from apps.erp.orders.domain.payments import epc_payload
from apps.erp.orders.domain.response_types import TaxAnswer
from apps.erp.orders.models.documents import Document, DocumentType
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.payments import BankAccount
from apps.erp.orders.models.shipments import Shipment
from apps.erp.organisation.domain.finishing import finishes_of
from core.errors import Conflict
from pricing.making import exact

UNIT_DIGITS = Decimal("0.0001")
# What invoices and credit notes must say of the seller: columns of the bureau.
REQUIRED_OF_SELLER = ("address", "vat_number")


class SellerIncomplete(Conflict):
    """The bureau lacks what an invoice must say of the seller."""

    code = "seller-incomplete"


class BuyerIncomplete(Conflict):
    """The order has no customer with name and address."""

    code = "buyer-incomplete"


def language_of(order: Order) -> str:
    """Return the language of the documents of an order."""
    customer = order.customer
    return (customer.language if customer else "") or order.bureau.language or FALLBACK


def require_parties(order: Order) -> None:
    """Raise SellerIncomplete or BuyerIncomplete where an invoice would lack a party's data."""
    missing = [name for name in REQUIRED_OF_SELLER if not getattr(order.bureau, name).strip()]
    if missing:
        raise SellerIncomplete(
            f"The bureau has no {' and no '.join(missing)}: an invoice must have them. Add them to "
            "the bureau.",
            details={"missing": missing, "bureau": order.bureau.uri},
        )
    customer = order.customer
    if customer is None or not customer.address.strip():
        raise BuyerIncomplete(
            "The order has no customer with an address: an invoice must have it. Choose a customer "
            "of the order, and add the address.",
            details={"customer": customer.uri if customer else None},
        )


def seller_of(bureau: Bureau) -> Party:
    """Return what documents say of their bureau."""
    return {
        "name": bureau.name,
        "address": bureau.address,
        "email": bureau.email,
        "phone": bureau.phone,
        "website": bureau.website,
        "vat_number": bureau.vat_number,
        "legal_notice": bureau.legal_notice,
    }


def base_data(order: Order, kind: DocumentType, number: str, day: date) -> DocumentData:
    """Return what all documents of an order say, without lines and amounts."""
    bureau, customer = order.bureau, order.customer
    return {
        "type": kind.value,
        "number": number,
        "language": language_of(order),
        "issued_on": day.isoformat(),
        "order_number": order.number,
        "customer_reference": order.customer_po,
        "seller": seller_of(bureau),
        "buyer": {
            "name": customer.name if customer else order.customer_name or order.name,
            "address": customer.address if customer else "",
            "email": "",
            "phone": "",
            "website": "",
            "vat_number": customer.vat_number if customer else "",
            "legal_notice": "",
        },
        "ship_to": ship_to(order),
        "lines": [],
        "currency": order.currency or bureau.currency,
        "net": None,
        "taxes": [],
        "gross": None,
        "valid_until": None,
        "delivery": order.due_date.date().isoformat() if order.due_date else None,
        "due_on": None,
        "is_paid": False,
        "account": None,
        "epc": None,
        "corrects": None,
    }


def add_quote(data: DocumentData, order: Order, quote: Quote) -> None:
    """Add the lines and totals of a quote, and until when it can be accepted."""
    rate = quote.taxes[0] if quote.taxes else None
    names = line_names(order, data["language"])
    for line in quote.lines:
        uri = line["line_item"]
        name, detail = names.get(uri or "", (line["name"], ""))
        net = line["amount"]
        _add_line(data, uri, name, detail, line["quantity"], net, rate)
    data["net"] = _number(quote.net if quote.net is not None else quote.amount)
    data["taxes"] = quote.taxes
    data["gross"] = _number(quote.gross)
    data["valid_until"] = quote.expires.date().isoformat()


def add_bill(data: DocumentData, lines: Iterable[BilledLine], taxes: list[TaxAnswer]) -> None:
    """Add the lines, taxes and totals of an invoice or a credit note."""
    net = Decimal()
    for each in lines:
        line = each.line
        net += each.net
        _add_line(
            data, line.line_item, line.name, line.detail, each.quantity, float(each.net), line.tax
        )
    tax = sum((exact(each["amount"]) for each in taxes), Decimal())
    data["net"], data["taxes"], data["gross"] = float(net), taxes, float(net + tax)


def add_payment(data: DocumentData, order: Order, *, is_paid: bool) -> None:
    """Add until when and to which account an invoice is paid, where the bureau has one."""
    data["is_paid"] = is_paid
    account = BankAccount.objects.filter(bureau=order.bureau_id).first()
    if account is None or is_paid:
        return
    issued = date.fromisoformat(data["issued_on"])
    data["due_on"] = (issued + timedelta(days=account.term_days)).isoformat()
    data["account"] = {
        "account_holder": account.account_holder,
        "iban": account.iban,
        "bic": account.bic,
        "term_days": account.term_days,
    }


def add_transfer_code(data: DocumentData, bureau: Bureau) -> None:
    """Add the QR code of the transfer, whose reference is the number of the document."""
    account = BankAccount.objects.filter(bureau=bureau).first() if data["account"] else None
    if account and data["currency"] == "EUR" and data["gross"]:
        data["epc"] = epc_payload(account, exact(data["gross"]), data["number"])


def add_correction(data: DocumentData, invoice: Document) -> None:
    """Add which invoice a credit note corrects."""
    issued = invoice.issued_on.isoformat()
    data["corrects"] = {"number": invoice.number, "issued_on": issued}


def add_shipment(data: DocumentData, order: Order, shipment: Shipment) -> None:
    """Add what is in a shipment, without prices, and by which carrier it goes."""
    names = line_names(order, data["language"])
    for line in shipment.lines.select_related("line_item").order_by("line_item"):
        uri = line.line_item.uri
        name, detail = names.get(uri, (line.line_item.name, ""))
        _add_line(data, uri, name, detail, line.quantity, None, None)
    data["ship_to"] = shipment.address or data["ship_to"]
    data["shipment"] = {
        "number": shipment.number,
        "carrier": shipment.carrier,
        "tracking_number": shipment.tracking_number,
    }


def line_names(order: Order, language: str) -> dict[str, tuple[str, str]]:
    """Return by URI the name of each line item and how it is made; "" for the order's charges."""
    items = order.line_items.select_related("base_material", "workflow").prefetch_related(
        "workflow__steps__post_processor_type"
    )
    names = {item.uri: (item.name, _detail(item)) for item in items}
    return {**names, "": (labels_of(language)["charges"], "")}


def _detail(item: LineItem) -> str:
    material = [item.base_material.name] if item.base_material else []
    return ", ".join([*material, *(kind.name for kind in finishes_of(item.workflow))])


def _add_line(
    data: DocumentData,
    uri: str | None,
    name: str,
    detail: str,
    quantity: int,
    net: float | None,
    tax: TaxAnswer | None,
) -> None:
    unit = None if net is None else float((exact(net) / quantity).quantize(UNIT_DIGITS))
    data["lines"].append(
        {
            "line_item": uri,
            "name": name,
            "detail": detail,
            "quantity": quantity,
            "unit": unit,
            "net": net,
            "category": tax["category"] if tax else "",
            "rate": tax["rate"] if tax else 0,
        }
    )


def ship_to(order: Order) -> str:
    """Return name and address that an order is shipped to; empty where there are none."""
    parts = (order.shipping_name, order.shipping_address)
    return "\n".join(part for part in parts if part.strip())


def _number(amount: Decimal | None) -> float | None:
    return None if amount is None else float(amount)
