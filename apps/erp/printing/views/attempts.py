"""Views: print attempts, printers and print queues."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import F, OuterRef, QuerySet, Subquery
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below, BelowViewSet, RowViewSet
from apps.erp.organisation.models.equipment import Printer, PrinterType
from apps.erp.printing.domain.actuals import actuals_of
from apps.erp.printing.domain.dispatching import candidates, printers_for
from apps.erp.printing.domain.print_queue import queue_of, waiting_of
from apps.erp.printing.serializers import attempts as serializers
from apps.erp.printing.services import attempts, printers, readings, watching
from apps.erp.production.domain.attempts import HOLDING
from apps.erp.production.domain.object_exclusion import printed_objects
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from core.api.fields import ValidatedData
from core.api.renderers import Response


class AttemptViewSet(RowViewSet):
    kind = Attempt
    serializer_class = serializers.AttemptSerializer
    answers = serializers.AttemptAnswer
    represent = staticmethod(serializers.attempt_resource)
    writes = attempts

    def rows(self) -> QuerySet:
        return super().rows().select_related("printer__agent")


class AttemptObjectsViewSet(BelowViewSet):
    """The objects of an attempt, and whether its machine can exclude them."""

    says = {"list": "List the objects of an attempt for exclusion"}
    kind = Attempt

    @extend_schema(responses={200: serializers.PrintedPieceAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        return self.page(request, uuid, printed_objects, serializers.printed_object_resource)


class ReadingsView(Below):
    """Readings during an attempt."""

    kind = Attempt

    @extend_schema(responses={200: serializers.ReadingsAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get temperatures and progress of an attempt."""
        return Response(serializers.readings_resource(readings.readings_of(self.row(uuid))))


class PrinterViewSet(RowViewSet):
    kind = Printer
    answers = serializers.PrinterAnswer
    represent = staticmethod(serializers.printer_resource)
    writes = printers

    def rows(self) -> QuerySet:
        holding = Attempt.objects.filter(HOLDING, printer=OuterRef("pk")).order_by("-pk")
        rows = super().rows().select_related("agent")
        rows = rows.prefetch_related("due_maintenance__task")
        return rows.annotate(held_by=Subquery(holding.values("pk")[:1]), camera_at=F("camera__at"))

    def perform_create(self, values: ValidatedData) -> Any:
        return self.rows().get(pk=super().perform_create(values).pk)

    def perform_update(self, row: Any, values: ValidatedData) -> None:
        printers.change(actor=self.caller, row=row, put_back=self.is_put_back(row), **values)

    @extend_schema(request=serializers.ClearSerializer, responses={200: serializers.PrinterAnswer})
    def clear(self, request: Request, uuid: UUID) -> Response:
        """Mark the bed as cleared and reject pieces."""
        printer = self.row(uuid)
        authorization.require_membership(self.caller, printer.bureau, printer.uri)
        serializer = serializers.ClearSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        attempts.clear(actor=self.caller, printer=printer, **serializer.validated_data)
        return Response(self.tell(self.row(uuid)))

    @extend_schema(request=None, responses={200: serializers.WatchAnswer})
    def watch(self, request: Request, uuid: UUID) -> Response:
        """Watch a printer: its agent reports it every 2 s."""
        answer: serializers.WatchAnswer = {"until": watching.watch(printer=self.row(uuid))}
        return Response(answer)


class CandidatesViewSet(BelowViewSet):
    """The printers of a run's type, and why it is not printed on each."""

    says = {"list": "List candidate printers of a run, with reasons"}
    kind = Run

    @extend_schema(responses={200: serializers.CandidateAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        def found(run: Run) -> Any:
            return candidates(run, printers_for(run))

        return self.page(request, uuid, found, serializers.candidate_of)


class QueueViewSet(BelowViewSet):
    """The runs that wait for printers of a type, and what they wait for."""

    says = {"list": "List the print queue of a printer type"}
    kind = PrinterType

    @extend_schema(responses={200: serializers.WaitingAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        kind = self.row(uuid)

        def tell_all(runs: Sequence[Run]) -> Sequence[object]:
            return [serializers.waiting_of(each) for each in waiting_of(kind, runs)]

        return self.page_of_all(request, queue_of(kind), tell_all)


class ActualsView(Below):
    """What prints on a type of printer came to, beside what was expected."""

    kind = PrinterType

    @extend_schema(responses={200: serializers.ActualsOfTypeAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get actual print times and good parts of a printer type."""
        row = self.row(uuid)
        return Response(serializers.actuals_resource(row, actuals_of(row)))
