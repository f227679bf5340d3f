"""Views: jobs of the slicers that agents run."""

from typing import cast
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.printing.serializers import engine_jobs as serializers
from apps.erp.printing.views.agents import AgentView
from apps.slicing import interface as slicing
from apps.slicing.interface import EngineReport
from core.api.renderers import Response


class TakeEngineJobView(AgentView):
    """The next slice for the slicers of an agent."""

    @extend_schema(
        request=serializers.TakeEngineJobSerializer, responses={200: serializers.TakenJobAnswer}
    )
    def post(self, request: Request) -> Response:
        """Take the next job for the agent's slicers."""
        serializer = serializers.TakeEngineJobSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        job = slicing.take_job(agent=self.agent.pk, **serializer.validated_data)
        return Response(serializers.job_resource(job))


class EngineJobView(AgentView):
    """The state of a job."""

    @extend_schema(
        request=serializers.EngineReportSerializer,
        responses={200: serializers.EngineReportAnswer},
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        """Report progress or end of a slicer's job."""
        serializer = serializers.EngineReportSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        report = cast(EngineReport, serializer.validated_data)
        wanted = slicing.report_job(agent=self.agent.pk, job=uuid, report=report)
        answer: serializers.EngineReportAnswer = {"wanted": wanted}
        return Response(answer)
