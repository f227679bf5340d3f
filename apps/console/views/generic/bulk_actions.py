"""Actions on the selected rows of a list: confirmed first, then with a result for each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from apps.console.domain.messages import LocalizedText, error_message
from apps.console.domain.resources.resource_kinds import ResourceKind
from apps.console.views.base.names import Names, with_names
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, uuid_of
from apps.console.views.generic.resources import common, uri_of
from core.web.internal_client import ApiError

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_SELECTED = 200  # rows of one action


@dataclass(frozen=True)
class Result:
    """What became of a row; `refused` is empty where the action was done."""

    title: str
    path: str
    refused: list[LocalizedText]


class BulkAction(ABC):
    """An action on the selected rows of a list.

    label  : of its button
    done, failed : of a row
    is_dangerous : whether its button is red
    is_gone : whether a row is no longer there once it is done
    """

    name: str
    icon: str
    label: Promise
    note: Promise
    done: Promise
    failed: Promise
    is_dangerous = False
    is_gone = False

    @abstractmethod
    def question(self, count: int) -> str:
        """What is asked before it is done."""

    @abstractmethod
    def outcome(self, done: int, count: int) -> str:
        """How many of the rows it was done for."""

    @abstractmethod
    def send(self, visit: PageContext, uri: str, key: str) -> None:
        """Do it for a row. Raises ApiError.

        key : of the form, for requests that must have their effect once
        """


class Delete(BulkAction):
    """Deletes resources."""

    name, icon = "delete", "trash"
    label = gettext_lazy("Delete selected")
    note = gettext_lazy("This cannot be undone.")
    done, failed = gettext_lazy("Deleted"), gettext_lazy("Not deleted")
    is_dangerous = is_gone = True

    def question(self, count: int) -> str:
        """What is asked before it is done."""
        words = ngettext("Delete %(number)s entry?", "Delete %(number)s entries?", count)
        return words % {"number": count}

    def outcome(self, done: int, count: int) -> str:
        """How many of the rows it was done for."""
        return _("%(deleted)s of %(all)s deleted") % {"deleted": done, "all": count}

    def send(self, visit: PageContext, uri: str, key: str) -> None:
        """Delete a resource."""
        visit.api.ask("DELETE", uri)


class CreateInvoices(BulkAction):
    """Invoices what of orders is not invoiced yet."""

    name, icon = "invoice", "file-invoice"
    label = gettext_lazy("Create invoices")
    note = gettext_lazy(
        "Each order gets an invoice of all that is confirmed and not invoiced yet. Invoices are "
        "never changed or deleted."
    )
    done, failed = gettext_lazy("Created"), gettext_lazy("Not created")

    def question(self, count: int) -> str:
        """What is asked before it is done."""
        words = ngettext("Create %(number)s invoice?", "Create %(number)s invoices?", count)
        return words % {"number": count}

    def outcome(self, done: int, count: int) -> str:
        """How many of the rows it was done for."""
        return _("%(done)s of %(all)s invoices created") % {"done": done, "all": count}

    def send(self, visit: PageContext, uri: str, key: str) -> None:
        """Issue the invoice of an order."""
        visit.make("erp", "document", {"order": uri, "type": "invoice"}, key=key)


def actions_of(visit: PageContext, kind: ResourceKind, *, may_delete: bool) -> list[BulkAction]:
    """The actions on rows of a list that the visitor may use."""
    sells = kind.name == "order" and "price.all" in visit.rights
    return [*([CreateInvoices()] if sells else ()), *([Delete()] if may_delete else ())]


def perform(visit: PageContext, kind: ResourceKind) -> HttpResponse:
    """Ask whether an action is to be done for the selected resources, or do it one by one."""
    form = visit.request.POST
    chosen = form.get("action", Delete.name)
    # The API refuses what the visitor may not do.
    action = next((each for each in (CreateInvoices(), Delete()) if each.name == chosen), None)
    uris = _selected(kind, form.getlist("row")[:MAX_SELECTED])
    if action is None or not uris:
        return visit.go(kind.path)
    names = Names(visit)
    names.load(uris)
    shared = {**common(visit, kind), "action": action}
    if "sure" not in form:
        rows = [(uuid_of(uri), names.text(uri)) for uri in uris]
        question = action.question(len(rows))
        return visit.show("list-confirm", **shared, rows=rows, question=question, key=uuid4())
    results = []
    for uri in uris:
        refused = []
        try:
            action.send(visit, uri, form.get("key", ""))
        except ApiError as declined:
            refused = [error_message(error) for error in with_names(visit, declined).errors]
        results.append(Result(names.text(uri), page_path(uri), refused))
    done = sum(not result.refused for result in results)
    outcome = action.outcome(done, len(results))
    return visit.show("list-results", **shared, results=results, outcome=outcome)


def _selected(kind: ResourceKind, keys: Sequence[str]) -> list[str]:
    """The URIs of the selected rows; what is no key is left out."""
    uris = []
    for key in keys:
        try:
            uris.append(uri_of(kind, UUID(key)))
        except ValueError:
            continue
    return uris
