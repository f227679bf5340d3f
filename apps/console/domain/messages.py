"""User messages: errors, progress stages, confirmations."""

from collections.abc import Mapping
from typing import Any, TypeAlias, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# By the code of a refusal; what is not here is shown in the API's own English.
SENTENCES: dict[str, Promise] = {
    "card-payment-unavailable": _("The order cannot be paid by card. Pay by bank transfer."),
    "payment-provider": _(
        "The payment provider cannot be reached, or refuses the payment. Try again later, or pay "
        "in another way."
    ),
    "resource-not-found": _("Not found or no access."),
    "name-not-found": _("There is none with this name. Create it first, or correct the name."),
    "one-time-password-required": _("Enter the one-time code of your authenticator app."),
    "rate-limited": _("Too many attempts. Try again later."),
    "registration-closed": _("Registration is disabled. Ask the administrator for an account."),
    "cross-site-request": _(
        "Cross-site request blocked. Reload the page and submit the form again."
    ),
    "database-unavailable": _(
        "Service temporarily unavailable (database). Try again in a few seconds."
    ),
    "upload-expired": _("The upload expired (24 hours)."),
    "missing-parameter": _("This field is required."),
    "model-in-use": _("Orders in production still need this part. Cancel or complete them first."),
    "model-gone": _("The part was deleted."),
    "decision-needed": _("The customer decides about a part first: see its printability report."),
    "print-report-pending": _("The printability report is not ready. Try again in a moment."),
    "decision-closed": _("Nothing is left to decide about this part. Reload the page."),
    "seller-incomplete": _("Address and VAT number of the shop are missing: see the settings."),
    "buyer-incomplete": _("The order needs a customer with an address for this document."),
    "nothing-to-invoice": _("Nothing is open: all of it is on invoices or credit notes."),
    "more-than-open": _("This is more than what is open. Reload the page."),
    "tax-unclear": _("The price or the tax of a part is missing. Check the price list."),
    "order-not-confirmed": _("The order is not confirmed yet."),
    "document-issued": _("This document is issued already."),
    "more-than-ready": _("Not so many pieces are ready to ship. Finish them first, or ship fewer."),
    "nothing-to-ship": _("No piece is ready to ship."),
    "shipment-cancelled": _("The shipment is cancelled."),
    "no-quote": _("The order has no quote: create one first."),
    "number-in-use": _("This number is in use. Change the prefix of the series."),
    "series-started": _("Documents have numbers of the series: the next number stays."),
    "name-taken": _("The name is taken. Enter another one."),
    "no-price-list": _("No price list: create one first."),
    "price-changed": _("Prices have changed: create a new table."),
    "line-item-on-hold": _("Line item is on hold: release it first."),
    "not-a-print": _("The build has nothing to print."),
    "run-not-ready": _("Build is not packed, or already printed."),
    "slice-not-ready": _("Slicing not finished."),
    "model-replaced": _("There is a newer version of this part: replace that one."),
    "not-confirmed": _("Confirm that you have read the G-code."),
    "estimate-only": _(
        "The slice is an estimate. Confirm the start and end G-code of the printer type, then "
        "slice again."
    ),
    "attempt-open": _("Another print attempt is open: report its result first."),
    "print-in-progress": _("The printer is at work. Cancel the print, or wait until it ends."),
    "no-machine": _("Printer has no driver: set one on its page."),
    "other-type": _("Build was packed for another printer type."),
    "other-printer": _("Build was packed for another printer."),
    "other-location": _("Printer is at another location."),
    "in-maintenance": _("Printer is in maintenance."),
    "maintenance-due": _("Maintenance is due: do it, and log it."),
    "printer-busy": _("Printer is busy."),
    "plate-not-clear": _("Bed may not be empty: check and clear it."),
    "no-printer": _("No printer of this type."),
    "unknown-print-time": _("Print time unknown"),
    "other-model": _("The G-code is for another model of printer."),
    "other-nozzle": _("The G-code is for another nozzle."),
    "does-not-fit": _("The print is larger than the build volume."),
    "no-printer-type": _("No printer type of the shop matches the G-code. Choose one."),
    "gcode-not-ready": _("The G-code is not analysed yet."),
    "no-approver": _(
        "The order is above the limit of your company, which has no member who approves orders. "
        "Ask the shop."
    ),
    "manual-printer": _("The printer is operated by hand: exclude the object at the printer."),
    "not-supported": _(
        "The host of the printer cannot exclude objects: exclude the object at the printer."
    ),
    "no-labels": _(
        "The G-code has no firmware label for the piece: switch on object labels for the firmware "
        "in the slicer."
    ),
    "other-firmware": _("The labels in the G-code are for another firmware."),
    "object-not-excludable": _(
        "The object cannot be excluded now. Reload the page, or exclude the object at the printer."
    ),
    "not-printing": _("The print has ended. Reject pieces when you clear the bed."),
    "no-frames": _("There are fewer than two pictures of the print."),
    "nothing-on-plate": _("No print on this bed."),
    "piece-not-on-plate": _("A selected piece is not on this bed or was already processed."),
}

STAGES: dict[str, Promise] = {
    "queued": _("Queued"),
    "processing": _("Processing"),
    "processed": _("Completed"),
    "error": _("Failed"),
}

# What has been done, by the word that the address says after a form was sent.
DONE: dict[str, Promise] = {
    "options": _("Print options saved. The estimate is being updated."),
    "sign-in-link": _(
        "If this is the address of a customer, a mail with a link is on its way to it."
    ),
    "order-approved": _("Order approved."),
    "order-declined": _("Order declined."),
    "registered": _("Account created. Welcome!"),
    "renamed": _("Part renamed."),
    "labelled": _("Folders and tags saved."),
    "deleted": _("Part deleted."),
    "view-saved": _("View saved."),
    "created": _("Created."),
    "saved": _("Changes saved."),
    "removed": _("Deleted."),
    "scaled": _("Part scaled to millimetres. This is the new part."),
    "repairing": _("Repair started. The repaired part appears on this page."),
    "no-repair": _("This installation offers no mesh repair."),
    "joined": _("Invitation accepted. Welcome to the shop."),
    "set-up": _("Shop created. Create the first order."),
    "priced": _("Price list active."),
    "ordered": _("Order created. Review the estimates, then confirm."),
    "added": _("Part added to the order."),
    "confirmed": _("Order confirmed. Pieces are ready for production."),
    "offered": _("Quote created."),
    "withdrawn": _("Quote voided."),
    "cancelled": _("Cancelled"),
    "reopened": _("Reopened."),
    "again": _("Recalculating estimate."),
    "enough": _("Packing stopped; best result kept."),
    "started": _("Printing"),
    "completed": _("All pieces moved to the next step."),
    "failed": _("Build aborted. Unprinted pieces are unscheduled again."),
    "slicing": _("Slicing started."),
    "queued": _("Added to the print queue."),
    "attached": _("Printer is operated manually; report its status here."),
    "planned": _("Print planned. Start it on the printer, then mark it as printing."),
    "excluded": _("Piece rejected. It is printed again."),
    "cleared": _("Bed cleared."),
    "repeated": _("Bed cleared. The build is queued for reprinting."),
    "tried": _("Retrying."),
    "changed": _("The data has changed meanwhile. Check it and try again."),
    "revoked": _("API token revoked."),
    "profile": _("Profile saved."),
    "password": _("Password changed. All other sessions have ended."),
    "second-factor": _("Two-factor authentication is on."),
    "no-second-factor": _("Two-factor authentication is off."),
    "sessions-ended": _("Session ended."),
    "signed-out": _("Signed out."),
    "reordered": _("The parts of your order are in the cart, at current prices."),
    "visit-over": _("Your visit has ended. Upload the parts again."),
    "ordered-here": _("Thank you. Your order is placed."),
    "ordered-mailed": _(
        "Thank you. Your order is placed. The link of this page is on its way by e-mail."
    ),
    "channel-test": _("The test message is on its way. The list shows its result in a moment."),
    "mail-again": _("The e-mail is sent again."),
    "text-restored": _("The default text is restored."),
    "card-account-removed": _("The keys are removed."),
    "issued": _("Document issued. Its PDF is ready in a moment."),
    "shipment-created": _("Shipment created."),
    "shipment-shipped": _("Marked as shipped."),
    "payment-recorded": _("Payment recorded."),
    "payment-reversed": _("Payment reversed."),
    "decided-as-is": _("Decision stored: the part is printed as is."),
    "decided-ask": _("Your question was sent to the shop."),
    "quote-accepted": _("Quote accepted. The order is confirmed."),
}


# What a template shows of a resource: its fields, and words beside them.
Shown: TypeAlias = dict[str, object]
# A resource of any kind as the API returns it, any value of JSON, and a template's context.
Row: TypeAlias = Mapping[str, Any]
JsonValue: TypeAlias = Any
Context: TypeAlias = dict[str, Any]


class Coded(TypedDict):
    """What errors, reviews and reasons have in common."""

    code: str
    title: str


class LocalizedText(str):
    """A sentence; `lang` says in which language it is where that is not the page's."""

    lang = ""


def error_message(error: Coded) -> LocalizedText:
    """What a refusal says, in the page's language where there are words for it."""
    known = SENTENCES.get(error["code"])
    text = LocalizedText(known or error["title"])
    text.lang = "" if known else "en"
    return text


def duration(seconds: float) -> str:
    """Hours and minutes, by signs that all languages share."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
