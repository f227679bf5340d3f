"""View of the predicted schedule of a bureau."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.automation.domain.schedule import schedule_of
from apps.erp.automation.serializers.schedule import ScheduleAnswer, schedule_resource
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.views.resources import Below
from core.api.renderers import Response


class ScheduleView(Below):
    """What the printers of a bureau print now and next."""

    kind = Bureau

    @extend_schema(responses={200: ScheduleAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Predict when the queued runs of a bureau are printed."""
        return Response(schedule_resource(schedule_of(self.row(uuid))))
