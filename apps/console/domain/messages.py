"""User messages: errors, progress stages, confirmations."""

from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

# By the code of a refusal; what is not here is told in the API's own English.
SENTENCES: dict[str, Promise] = {
    "resource-not-found": _("There is nothing here, or not for you."),
    "one-time-password-required": _("This account also needs its one-time code."),
    "rate-limited": _("Too many tries. Wait a while, then try again."),
    "registration-closed": _("Registration is closed here: ask an operator for an account."),
    "cross-site-request": _(
        "This form was not sent from a page of this site. Open the page and send it again."
    ),
    "database-unavailable": _("The database is away for a moment. Try again in a few seconds."),
    "upload-expired": _("The file did not come within a day."),
    "missing-parameter": _("This is needed."),
    "no-price-list": _("The shop sells at cost so far: give it prices first."),
    "price-changed": _("The prices have changed since: ask for a new table."),
    "not-a-print": _("Nothing is printed in this run."),
    "run-not-ready": _("The run is not packed yet, or was printed."),
    "slice-not-ready": _("Its slice is not done yet."),
    "attempt-open": _("A print of it is under way: say first what became of that."),
    "no-machine": _("Nothing is attached to the printer: say on its page who starts it."),
    "other-type": _("The run was packed for another type of printer."),
    "other-printer": _("The run was packed for another printer."),
    "other-location": _("The printer stands somewhere else."),
    "in-maintenance": _("The printer is in maintenance."),
    "printer-busy": _("The printer has something else to do."),
    "plate-not-clear": _("Its plate may not be empty: look, and clear it."),
    "no-printer": _("There is no printer of its type."),
    "nothing-on-plate": _("Nothing of ours lies on this plate any more."),
    "piece-not-on-plate": _("One of these pieces is not on this plate, or was moved before."),
}

STAGES: dict[str, Promise] = {
    "queued": _("It waits for its turn."),
    "processing": _("It is being worked on."),
    "processed": _("Done."),
    "error": _("It failed."),
}

# What has been done, by the word that the address says after a form was sent.
DONE: dict[str, Promise] = {
    "registered": _("Your account is made. Welcome!"),
    "renamed": _("The model has its new name."),
    "deleted": _("The model is deleted."),
    "scaled": _("The model is made again in millimetres. This is the new one."),
    "set-up": _("Your shop is set up. Order the first parts."),
    "priced": _("The shop sells by these prices from now on."),
    "ordered": _("The order is made. Confirm it once you agree with the estimates."),
    "confirmed": _("The order is confirmed: its pieces wait to be printed."),
    "offered": _("The quote is made."),
    "withdrawn": _("The quote is withdrawn."),
    "cancelled": _("It is cancelled."),
    "reopened": _("It is open again."),
    "again": _("It is estimated once more."),
    "enough": _("The search ends: the best packing so far is kept."),
    "started": _("It is being printed."),
    "completed": _("All pieces of the run went on to their next step."),
    "failed": _("The run is given up. What was not printed waits again."),
    "slicing": _("The run is being sliced."),
    "queued": _("The run waits for a printer that takes it."),
    "attached": _("A person starts this printer, and says here what it does."),
    "planned": _("The run is to be printed here. Start it, and say so."),
    "cleared": _("The plate is clear."),
    "repeated": _("The plate is clear, and the same run is to be printed once more."),
    "tried": _("It is tried once more."),
    "changed": _("Something has changed here since: look again."),
    "signed-out": _("You are signed out."),
}


class Told(str):
    """A sentence; `lang` says in which language it is where that is not the page's."""

    lang = ""


def error_message(error: dict[str, Any]) -> Told:
    """What a refusal says, in the page's language where there are words for it."""
    known = SENTENCES.get(error["code"])
    told = Told(known or error["title"])
    told.lang = "" if known else "en"
    return told


def duration(seconds: float) -> str:
    """Hours and minutes, by signs that all languages share."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
