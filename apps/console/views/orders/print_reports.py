"""Print reports: findings in a part, and what its customer decides about them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import orjson
from django import forms
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Context
from apps.console.domain.print_findings import described_decision, described_report
from apps.console.domain.production_status import CHANGEABLE
from apps.console.views.base.names import Names
from apps.console.views.base.page import PageContext, handle_form, key_of, page
from apps.console.views.base.page_urls import api_uri, page_path
from apps.console.views.base.store_context import StoreContext
from core.uris import base_url

if TYPE_CHECKING:
    from manufacturing.generated.erp import LineItem, PrintDecision, PrintReport
    from manufacturing.generated.sales import SharedLine, SharedReport

MAX_DECISIONS = 20  # that the page of a report shows
MAX_REPORTS = 500  # that the page of an order reads


class DecisionForm(forms.Form):
    """How the shop goes on with a part."""

    decision = forms.ChoiceField(
        label=_("How should we continue?"),
        choices=[
            ("as-is", _("Accept as is")),
            ("replaced", _("Replace the file")),
            ("ask", _("Ask us")),
        ],
        initial="as-is",
        widget=forms.RadioSelect,
    )
    name = forms.CharField(
        label=_("Your name"), max_length=200, widget=forms.TextInput({"autocomplete": "name"})
    )
    text = forms.CharField(
        label=_("Question or remark"),
        max_length=2000,
        required=False,
        widget=forms.Textarea({"rows": 2}),
    )
    key = forms.CharField(widget=forms.HiddenInput)

    def clean(self) -> None:
        asks = self.cleaned_data.get("decision") == "ask"
        if asks and not self.cleaned_data.get("text"):
            self.add_error("text", _("Write your question."))


class AcceptanceForm(forms.Form):
    """That a customer accepts a part, as a member of the shop records it."""

    name = forms.CharField(label=_("Name of the customer"), max_length=200)
    text = forms.CharField(label=_("Remark"), max_length=2000, required=False)
    key = forms.CharField(widget=forms.HiddenInput)


def shared_reports(lines: list[SharedLine], token: str, form_key: str) -> list[Context]:
    """The reports of an order with findings to decide about, for its customer."""
    return [
        shared_report(
            line, report, token, DecisionForm(initial={"key": form_key}, auto_id=f"%s-{at}")
        )
        for at, line in enumerate(lines)
        if (report := line["report"]) and (report["gone"] or report["verdict"] in ("risk", "fault"))
    ]


def shared_report(
    line: SharedLine, report: SharedReport, token: str, form: DecisionForm
) -> Context:
    """A report for the customer of an order, with the form of a decision."""
    return {
        **described_report(report),
        "name": line["name"],
        "picture": line["picture"],
        "path": f"/o/{token}/decision/{report['report']}/",
        "form": form,
    }


@page("GET", "POST", context=StoreContext)
def decide(visit: StoreContext, token: str, uuid: UUID) -> HttpResponse:
    """The report of a part; POST records the decision of the customer."""
    uri = f"{base_url('sales')}/shared-order/{token}/"
    answer = visit.shared_order(token)
    lines = answer["order"]["lines"]
    by_report = {str(line["report"]["report"]): line for line in lines if line["report"]}
    line = by_report.get(str(uuid))
    report = line["report"] if line else None
    if line is None or report is None:
        raise Http404
    posted = visit.request.POST if visit.posted else None
    form = DecisionForm(posted, initial={"key": visit.form_key})

    def record() -> HttpResponse:
        values = form.cleaned_data
        body = {name: values[name] for name in ("decision", "name", "text")} | {"report": str(uuid)}
        made = visit.api.ask("POST", f"{uri}print-decision/", body, key=key_of(form))
        if upload := orjson.loads(made.content)["upload"]:
            return visit.show("replace", upload=upload, name=line["name"], back=f"/o/{token}/")
        return visit.go(f"/o/{token}/", done=f"decided-{values['decision']}")

    done, status = handle_form(form, record) if visit.posted else (None, 200)
    response = done or visit.show(
        "decision",
        status,
        order=answer["order"],
        report=shared_report(line, report, token, form),
        back=f"/o/{token}/",
    )
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "strict-origin"
    return response


@page("GET", context=StoreContext)
def shared_reports_file(visit: StoreContext, token: str) -> HttpResponse:
    """The reports of an order as PDF, for its customer."""
    uri = f"{base_url('sales')}/shared-order/{token}/"
    visit.shared_order(token)
    return _file(visit, f"{uri}print-reports/", f"/o/{token}/")


# ---------------------------------------------------------------- the shop


@page("GET")
def reports_file(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The reports of an order as PDF."""
    uri = api_uri("order", uuid)
    return _file(visit, f"{uri}print-reports/", page_path(uri))


def _file(visit: PageContext, uri: str, back: str) -> HttpResponse:
    """Redirect to a PDF that is made; else show its progress, and the link once it is made."""
    file = visit.api.get(uri)
    if file["content"] and "wait" not in visit.request.GET:
        return HttpResponseRedirect(file["content"], headers={"Cache-Control": "no-store"})
    if "wait" not in visit.request.GET:
        return visit.go(f"{back}print-reports/?wait=1")
    is_busy = file["status"] == "processing"
    response = visit.show("print-report-file", file=file, back=back, busy=is_busy)
    response["X-Robots-Tag"] = "noindex"
    response["Referrer-Policy"] = "strict-origin"
    return response


def reports_of(visit: PageContext, order: str, items: list[LineItem]) -> dict[str, Context]:
    """The last reports of an order's present models, as pages show them, by line item."""
    models = {item["uri"]: item["model"] for item in items}
    rows = visit.all_of("print-report", order=order, limit=MAX_REPORTS)
    return {
        row["line_item"]: {**_described(row, []), "path": page_path(row["uri"])}
        for row in sorted(rows, key=lambda row: row["uri"])
        if row["model"] == models.get(row["line_item"])
    }


@page("GET", "POST")
def print_report(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A report as the shop sees it; POST records that the customer accepts the part."""
    row = visit.api.get(api_uri("print-report", uuid))
    item = visit.api.get(row["line_item"])
    order = visit.api.find(item["order"]) if item["order"] else None
    form = AcceptanceForm(
        visit.request.POST if visit.posted else None,
        initial={"key": visit.form_key, "name": order["customer_name"] if order else ""},
    )

    def record() -> HttpResponse:
        body = {name: form.cleaned_data[name] for name in ("name", "text")}
        body |= {"print_report": row["uri"], "decision": "as-is"}
        visit.make("erp", "print-decision", body, key=key_of(form))
        return visit.go(row["uri"], done="decided-as-is")

    done, status = handle_form(form, record) if visit.posted else (None, 200)
    if done:
        return done
    decisions = visit.api.list(
        "erp",
        "/print-decision/",
        **{"filter[print_report]": row["uri"], "sort": "-created", "page[limit]": MAX_DECISIONS},
    )["resources"]
    models = Names(visit)
    models.load([row["model"]])
    shown = _described(row, decisions)
    may_decide = item["status"] in CHANGEABLE and item["model"] == row["model"] and shown["is_made"]
    return visit.show(
        "print-report",
        status,
        report={**shown, "name": item["name"], "picture": item["snapshot"]},
        order=order and {**order, "path": page_path(order["uri"])},
        model_path=models.path(row["model"]),
        decisions=[{**_decision(each), "by_customer": each["by_customer"]} for each in decisions],
        form=form if may_decide and row["verdict"] in ("risk", "fault") else None,
    )


def _described(row: PrintReport, decisions: list[PrintDecision]) -> Context:
    """A report as its page shows it, with the last of these decisions, newest first."""
    shared: SharedReport = {
        "report": row["uri"],
        "status": row["status"],
        "verdict": row["verdict"],
        "limits": row["limits"],
        "findings": row["findings"],
        "not_checked": row["not_checked"],
        "gone": row["gone"],
        "needs_decision": row["needs_decision"],
        "decision": None,
        "can_decide": False,
    }
    shown = described_report(shared)
    return {**shown, "decision": _decision(decisions[0]) if decisions else None}


def _decision(row: PrintDecision) -> Context:
    return described_decision(
        {
            "decision": row["decision"],
            "name": row["name"] or "",
            "text": row["text"] or "",
            "at": row["created"],
            "replacement": None,
        }
    )
