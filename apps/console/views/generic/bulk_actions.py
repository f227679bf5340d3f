"""Actions on the selected rows of a list: confirmed first, then with a result for each row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from apps.console.domain.messages import LocalizedText, error_message
from apps.console.domain.resources.resource_kinds import ResourceKind
from apps.console.views.base.names import Names, with_names
from apps.console.views.base.page import PageContext
from apps.console.views.base.page_urls import page_path, uuid_of
from apps.console.views.generic.resources import common, uri_of
from core.web.internal_client import ApiError

MAX_SELECTED = 50  # rows of one action: those of a page


@dataclass(frozen=True)
class BulkAction:
    """An action on the selected rows of a list.

    label    : of its button
    question : before it is done, with the `number` of rows
    note     : below the question
    outcome  : for how many of `all` rows it is `done`
    done, failed : of a row
    send     : does it for the URI of a row; the third argument is the key of the form, for
               requests that must have their effect once. Raises ApiError
    is_destructive : whether the rows are no longer there once it is done
    """

    name: str
    icon: str
    label: Promise
    question: Promise
    note: Promise
    outcome: Promise
    done: Promise
    failed: Promise
    send: Callable[[PageContext, str, str], object]
    is_destructive: bool = False


DELETE = BulkAction(
    name="delete",
    icon="trash",
    label=_("Delete selected"),
    question=ngettext_lazy("Delete %(number)s entry?", "Delete %(number)s entries?", "number"),
    note=_("This cannot be undone."),
    outcome=_("%(done)s of %(all)s deleted"),
    done=_("Deleted"),
    failed=_("Not deleted"),
    send=lambda visit, uri, _key: visit.api.ask("DELETE", uri),
    is_destructive=True,
)
CREATE_INVOICES = BulkAction(
    name="invoice",
    icon="file-invoice",
    label=_("Create invoices"),
    question=ngettext_lazy("Create %(number)s invoice?", "Create %(number)s invoices?", "number"),
    note=_(
        "Each order gets an invoice of all that is confirmed and not invoiced yet. Invoices are "
        "never changed or deleted."
    ),
    outcome=_("%(done)s of %(all)s invoices created"),
    done=_("Created"),
    failed=_("Not created"),
    send=lambda visit, uri, key: visit.make(
        "erp", "document", {"order": uri, "type": "invoice"}, key=key
    ),
)
ACTIONS = {action.name: action for action in (CREATE_INVOICES, DELETE)}


@dataclass(frozen=True)
class Result:
    """What became of a row; `refused` is empty where the action was done."""

    title: str
    path: str
    refused: list[LocalizedText]


def actions_of(visit: PageContext, kind: ResourceKind, *, may_delete: bool) -> list[BulkAction]:
    """The actions on rows of a list that the visitor may use."""
    sells = kind.name == "order" and "price.all" in visit.rights
    return [*([CREATE_INVOICES] if sells else ()), *([DELETE] if may_delete else ())]


def perform(visit: PageContext, kind: ResourceKind) -> HttpResponse:
    """Ask whether an action is to be done for the selected resources, or do it one by one."""
    form = visit.request.POST
    action = ACTIONS.get(form.get("action", DELETE.name))  # the API checks who may do it
    uris = _selected(kind, form.getlist("row")[:MAX_SELECTED])
    if action is None or not uris:
        return visit.go(kind.path)
    names = Names(visit)
    names.load(uris)
    shared = {**common(visit, kind), "action": action}
    if "sure" not in form:
        rows = [(uuid_of(uri), names.text(uri)) for uri in uris]
        question = action.question % {"number": len(rows)}
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
    outcome = action.outcome % {"done": done, "all": len(results)}
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
