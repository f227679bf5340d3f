"""Limits of processes, reports of what is below them, and what customers decide about it."""

from collections.abc import Mapping

from django.core.validators import MaxValueValidator
from django.db import models

from apps.erp.base.model_fields import (
    Above,
    BureauForeignKey,
    ForeignUriField,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.orders import LineItem, Order
from apps.erp.organisation.models.equipment import PrinterType
from core.model_fields import DatabaseTimeField
from core.models import Blob
from core.state_machine import Schema, Stateful, Targets, event_schema

MAX_LIMIT = 100  # mm


class Severity(models.TextChoices):
    """How grave a finding is, the lightest first."""

    NOTE = "note"
    RISK = "risk"
    FAULT = "fault"


class Decision(models.TextChoices):
    """How an order goes on with a part that has findings."""

    AS_IS = "as-is"
    REPLACED = "replaced"
    ASK = "ask"


def _limit() -> models.FloatField:
    """A limit in mm; null: that of the process."""
    return models.FloatField(
        null=True, blank=True, validators=[Above(0), MaxValueValidator(MAX_LIMIT)]
    )


class ProcessLimits(BureauResource):
    """What a printer type of a bureau can make; of all types that have none of their own, without.

    process    : whose limits hold where one is null
    wall_fault : wall that cannot be made below it, mm
    wall_risk  : wall that may fail below it, mm
    gap_risk   : gap that may fuse below it, mm
    shell_risk : separate shell that may be lost below it, mm
    decision_from : severity from which a line item is confirmed only when its customer has decided;
                    null: never
    """

    class Process(models.TextChoices):
        FDM = "fdm"
        SLA = "sla"
        SLS = "sls"
        MJF = "mjf"
        METAL = "metal"

    KIND = "process-limits"
    RIGHT = "printer_type.all"
    PRIVATE = frozenset({"creator"})

    printer_type = BureauForeignKey(PrinterType, models.CASCADE, null=True, blank=True)
    process = models.CharField(max_length=8, choices=Process, default=Process.FDM)
    wall_fault = _limit()
    wall_risk = _limit()
    gap_risk = _limit()
    shell_risk = _limit()
    decision_from = models.CharField(  # noqa: DJ001  null: never
        max_length=8,
        choices=[(each.value, each.label) for each in (Severity.RISK, Severity.FAULT)],
        null=True,
        blank=True,
    )
    creator = user_field()

    class Meta(BureauResource.Meta):
        verbose_name = verbose_name_plural = "process limits"
        constraints = [
            models.UniqueConstraint(
                fields=["bureau", "printer_type"],
                name="process_limits_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        return f"{self.process} {self.printer_type or ''}".strip()


class PrintReport(BureauResource, Stateful):
    """Findings in the model of a line item of an order, by limits as they were then.

    limits      : the limits of the process, mm, and from which severity a decision is needed
    findings    : by apps.erp.orders.domain.print_findings; the gravest first
    not_checked : what was not measured
    gone        : findings of the model before it that this one has no more
    verdict     : the severity of the gravest finding; null without any
    needs_decision : whether the customer is to decide before the line item is confirmed
    """

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {Status.PROCESSING: Targets(Status.PROCESSED, Status.ERROR)}

    KIND = "print-report"
    PARENT = "line_item"
    READ_ONLY = frozenset(
        {
            *("line_item", "order", "model_uri", "status", "limits", "findings", "not_checked"),
            *("gone", "verdict", "needs_decision", "errors"),
        }
    )
    PRIVATE = frozenset({"creator"})

    line_item = BureauForeignKey(LineItem, models.CASCADE, related_name="print_reports")
    order = BureauForeignKey(Order, models.CASCADE, related_name="print_reports")
    model_uri = ForeignUriField(kind="model", db_index=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    limits = models.JSONField()
    findings = models.JSONField(default=list)
    not_checked = models.JSONField(default=list)
    gone = models.JSONField(default=list)
    verdict = models.CharField(max_length=8, choices=Severity, null=True)  # noqa: DJ001
    needs_decision = models.BooleanField(default=False)
    errors = models.JSONField(null=True)
    creator = user_field()

    @property
    def owner_id(self) -> object:
        """The account whose share the job is done on."""
        return self.creator_id


class PrintDecision(BureauResource):
    """What was decided about a print report; it never changes, and the last one counts.

    name     : of the person who decided
    text     : their question or remark
    findings : of the report, as they were decided about
    model_uri : the model that replaces the one of the report
    by_customer : whether it was decided by a share link of the order
    """

    KIND = "print-decision"
    PARENT = "print_report"
    READ_ONLY = frozenset({"findings", "model_uri", "by_customer"})
    PRIVATE = frozenset({"creator"})

    print_report = BureauForeignKey(PrintReport, models.CASCADE, related_name="decisions")
    decision = models.CharField(max_length=8, choices=Decision)
    name = short_text_field()
    text = text_field()
    findings = models.JSONField(default=list)
    model_uri = ForeignUriField(kind="model", null=True, blank=True, db_index=True)
    by_customer = models.BooleanField(default=False)
    creator = user_field()

    def __str__(self) -> str:
        return self.decision


class PrintReportFile(Stateful):
    """The print reports of an order as PDF: made when it is requested, once for equal contents.

    key     : hash of all that the file has
    data    : what it says, by apps.erp.orders.domain.documents.report_page
    content : the PDF; null until it is made
    """

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {Status.PROCESSING: Targets(Status.PROCESSED, Status.ERROR)}

    created = DatabaseTimeField(auto_now_add=True)
    updated = DatabaseTimeField(auto_now=True)
    key = models.CharField(max_length=64, primary_key=True)
    order = models.ForeignKey(Order, models.CASCADE, related_name="+")
    data = models.JSONField()
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    errors = models.JSONField(null=True, blank=True)
    content = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="+")

    def __str__(self) -> str:
        return f"print reports of {self.order_id}"


_URI = {"type": "string", "format": "uri"}
_NEWS: Mapping[str, Schema] = {"print_report": _URI, "line_item": _URI}
EVENTS: Mapping[str, Schema] = {
    f"{PrintDecision.KIND}.{decision}": event_schema(decision, _NEWS)
    for decision in Decision.values
}
