"""Texts of messages to channels, by language and kind of notification."""

# Values of a notification that stand below the title, where it has them.
DETAILS = ("customer", "build")
TEST_TITLE = {"en": "Test message", "de": "Testnachricht"}
TITLES = {
    "en": {
        "order-received": "Order {number} received",
        "order-review": "Order {number} needs a review",
        "quote-accepted": "Quote of order {number} accepted",
        "approval-declined": "Order {number} declined by the customer's company",
        "document-not-issued": "Order {number}: document not issued",
        "print-decision": "Customer decided about a part of order {number}",
        "printer-attention": "{printer}: the printer needs attention",
        "printer-attention.paused": "{printer}: print paused",
        "printer-attention.unclear": "{printer}: state of the print unknown",
        "printer-attention.failed": "{printer}: print failed",
        "printer-attention.offline": "{printer}: offline",
        "printer-attention.fault": "{printer}: the printer reports a fault",
        "bed-to-clear": "{printer}: print ended, clear the bed",
        "material-low": "{material}: {free} {unit} free, reorder point {reorder_point} {unit}",
        "maintenance-due": "{printer}: maintenance due: {tasks}",
    },
    "de": {
        "order-received": "Auftrag {number} eingegangen",
        "order-review": "Auftrag {number} muss geprüft werden",
        "quote-accepted": "Angebot zu Auftrag {number} angenommen",
        "approval-declined": "Auftrag {number} von der Firma des Kunden abgelehnt",
        "document-not-issued": "Auftrag {number}: Dokument nicht ausgestellt",
        "print-decision": "Kunde hat über ein Teil von Auftrag {number} entschieden",
        "printer-attention": "{printer}: Drucker braucht Aufmerksamkeit",
        "printer-attention.paused": "{printer}: Druck pausiert",
        "printer-attention.unclear": "{printer}: Zustand des Drucks unbekannt",
        "printer-attention.failed": "{printer}: Druck fehlgeschlagen",
        "printer-attention.offline": "{printer}: offline",
        "printer-attention.fault": "{printer}: Der Drucker meldet eine Störung",
        "bed-to-clear": "{printer}: Druck beendet, Druckbett räumen",
        "material-low": "{material}: {free} {unit} frei, Meldebestand {reorder_point} {unit}",
        "maintenance-due": "{printer}: Wartung fällig: {tasks}",
    },
}
