"""Labels and sentences of documents in each language, and default prefixes of their numbers."""

from collections.abc import Mapping

from apps.erp.orders.models.documents import DocumentType

_ENGLISH = {
    "quote": "Quote",
    "confirmation": "Order confirmation",
    "invoice": "Invoice",
    "credit-note": "Credit note",
    "delivery-note": "Delivery note",
    "number": "Number",
    "date": "Date",
    "order": "Order",
    "reference": "Your reference",
    "supply": "Date of supply",
    "supply_today": "as date of invoice",
    "vat": "VAT number",
    "your_vat": "Your VAT number",
    "ship_to": "Ship to",
    "shipment": "Shipment",
    "carrier": "Carrier",
    "tracking": "Tracking number",
    "position": "Pos.",
    "description": "Description",
    "quantity": "Quantity",
    "unit": "Unit price",
    "amount": "Amount",
    "charges": "Shipping and order charges",
    "net": "Net",
    "tax": "VAT {rate} %",
    "no_tax": "VAT",
    "total": "Total",
    "total_net": "Total, net",
    "on_request": "on request",
    "valid": "This quote is valid until {date}.",
    "delivery": "Expected delivery date: {date}.",
    "due": "Please transfer {amount} by {date} to the account below.",
    "paid": "The amount is paid. Thank you.",
    "to_pay": "Amount due: {amount}.",
    "account": "Bank transfer",
    "holder": "Account holder",
    "remittance": "Reference",
    "scan": "Scan with a banking app",
    "corrects": "Correction of the invoice {number} of {date}.",
    "page": "Page",
    "of": "of",
}
_GERMAN = {
    "quote": "Angebot",
    "confirmation": "Auftragsbestätigung",
    "invoice": "Rechnung",
    "credit-note": "Rechnungskorrektur",
    "delivery-note": "Lieferschein",
    "number": "Nummer",
    "date": "Datum",
    "order": "Auftrag",
    "reference": "Ihr Zeichen",
    "supply": "Leistungsdatum",
    "supply_today": "wie Rechnungsdatum",
    "vat": "USt-IdNr./Steuernummer",
    "your_vat": "Ihre USt-IdNr.",
    "ship_to": "Lieferanschrift",
    "shipment": "Sendung",
    "carrier": "Versand durch",
    "tracking": "Sendungsnummer",
    "position": "Pos.",
    "description": "Bezeichnung",
    "quantity": "Menge",
    "unit": "Einzelpreis",
    "amount": "Betrag",
    "charges": "Versand und Auftragskosten",
    "net": "Netto",
    "tax": "USt. {rate} %",
    "no_tax": "USt.",
    "total": "Gesamtbetrag",
    "total_net": "Gesamtbetrag netto",
    "on_request": "auf Anfrage",
    "valid": "Das Angebot ist gültig bis {date}.",
    "delivery": "Voraussichtlicher Liefertermin: {date}.",
    "due": "Bitte überweisen Sie {amount} bis zum {date} auf das unten genannte Konto.",
    "paid": "Der Betrag ist bezahlt. Vielen Dank.",
    "to_pay": "Offener Betrag: {amount}.",
    "account": "Überweisung",
    "holder": "Kontoinhaber",
    "remittance": "Verwendungszweck",
    "scan": "Mit der Banking-App scannen",
    "corrects": "Korrektur der Rechnung {number} vom {date}.",
    "page": "Seite",
    "of": "von",
}
_LABELS: Mapping[str, Mapping[str, str]] = {"en": _ENGLISH, "de": _GERMAN}
_PREFIXES: Mapping[str, Mapping[str, str]] = {
    "en": {
        "quote": "Q-",
        "confirmation": "OC-",
        "invoice": "INV-",
        "credit-note": "CN-",
        "delivery-note": "DN-",
    },
    "de": {
        "quote": "AN-",
        "confirmation": "AB-",
        "invoice": "RE-",
        "credit-note": "RK-",
        "delivery-note": "LS-",
    },
}


def labels_of(language: str) -> Mapping[str, str]:
    """Return the labels of documents in a language, English where it is another."""
    return _LABELS.get(language, _ENGLISH)


def default_prefix(kind: DocumentType, language: str) -> str:
    """Return the prefix of the numbers of a bureau that has set none."""
    return _PREFIXES.get(language, _PREFIXES["en"])[kind.value]
