"""Contents of documents, as they are frozen when a document is issued."""

from typing import NamedTuple, NotRequired, TypedDict

from apps.erp.orders.domain.payments import TransferAccount
from apps.erp.orders.domain.response_types import TaxAnswer


class Party(TypedDict):
    """Seller or buyer; texts are empty where there are none."""

    name: str
    address: str
    email: str
    phone: str
    website: str
    vat_number: str
    legal_notice: str


class DocumentLine(TypedDict):
    """A line; amounts are net, null where a price is missing."""

    line_item: str | None
    name: str
    detail: str
    quantity: int
    unit: float | None
    net: float | None
    category: str
    rate: float


class CorrectedDocument(TypedDict):
    """The invoice that a credit note corrects."""

    number: str
    issued_on: str


class ShippedParcel(TypedDict):
    """The shipment that a delivery note lists; texts are empty where there are none."""

    number: int
    carrier: str
    tracking_number: str


class DocumentData(TypedDict):
    """The contents of a document, all that its PDF is made from."""

    type: str
    number: str
    language: str
    issued_on: str
    order_number: int
    customer_reference: str
    seller: Party
    buyer: Party
    ship_to: str
    lines: list[DocumentLine]
    currency: str
    net: float | None
    taxes: list[TaxAnswer]
    gross: float | None
    valid_until: str | None
    delivery: str | None
    due_on: str | None
    is_paid: bool
    account: TransferAccount | None
    epc: str | None
    corrects: CorrectedDocument | None
    shipment: NotRequired[ShippedParcel]


class SignedBill(NamedTuple):
    """An invoice or a credit note, and whether its amounts are added (1) or taken away (-1)."""

    sign: int
    data: DocumentData
