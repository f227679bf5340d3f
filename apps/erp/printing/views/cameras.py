"""Views of pictures of cameras: sent by agents, shown to those who read the printer."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below, BelowViewSet
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.cameras import FRAME, CameraPicture, Timelapse
from apps.erp.printing.serializers import cameras as serializers
from apps.erp.printing.services import cameras, timelapses
from apps.erp.printing.views.agents import AgentView
from apps.erp.production.models.attempts import Attempt
from core.api.renderers import Response
from core.errors import NotFound


class NoPicture(NotFound):
    """The camera of a printer has sent no picture."""

    code = "no-picture"


class SentPictureView(AgentView):
    """A picture of a camera."""

    @extend_schema(
        request=serializers.SentPictureSerializer,
        responses={200: serializers.StoredPictureAnswer},
    )
    def put(self, request: Request, uuid: UUID) -> Response:
        """Send a picture of a printer's camera."""
        serializer = serializers.SentPictureSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        at = cameras.store(agent=self.agent, printer=uuid, **serializer.validated_data)
        answer: serializers.StoredPictureAnswer = {"at": at}
        return Response(answer)


class CameraView(Below):
    """The newest picture of a printer's camera."""

    kind = Printer

    @extend_schema(responses={200: serializers.CameraAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get the newest picture of a printer's camera."""
        row = self.row(uuid)
        times = CameraPicture.objects.filter(printer=row).values_list("at", flat=True)
        answer = serializers.camera_resource(row, times.first())
        if answer is None:
            raise NoPicture(
                "There is no picture of a camera of this printer: its host has none, or no person "
                "has watched the printer in the last day. Watch it, and read again after 5 s."
            )
        return Response(answer)


class AttemptPicturesViewSet(BelowViewSet):
    """Pictures that the camera took when an attempt paused or ended."""

    says = {"list": "List pictures taken when an attempt paused or ended"}
    kind = Attempt

    @extend_schema(responses={200: serializers.AttemptPictureAnswer})
    def list(self, request: Request, uuid: UUID) -> Response:
        def pictures(attempt: Attempt) -> object:
            return list(attempt.pictures.exclude(status=FRAME).order_by("at", "pk"))

        return self.page(request, uuid, pictures, serializers.attempt_picture_resource)


class TimelapseView(Below):
    """The video of an attempt."""

    kind = Attempt

    @extend_schema(responses={200: serializers.TimelapseAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get the timelapse of an attempt."""
        row = self.row(uuid)
        return Response(
            serializers.timelapse_resource(row, Timelapse.objects.filter(attempt=row).first())
        )


class MakeTimelapseView(Below):
    """A new video of an attempt."""

    says = {"post": "Make a video of the pictures of an attempt"}
    kind = Attempt

    @extend_schema(request=None, responses={202: serializers.TimelapseAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """The video has the pictures that are there now; another request makes it anew."""
        row = self.row(uuid)
        authorization.require_membership(self.caller, row.bureau, row.uri)
        video = timelapses.request_video(attempt=row)
        return Response(serializers.timelapse_resource(row, video), 202)


@require_safe
def picture(request: HttpRequest, key: str) -> HttpResponse:
    """The picture of a printer's camera that a key opens."""
    content = cameras.picture_by_key(key)
    if content is None:
        raise Http404
    response = HttpResponse(content, content_type="image/jpeg")
    response["Cache-Control"] = f"private, max-age={cameras.LOCATION_LIVES}"
    response["X-Content-Type-Options"] = "nosniff"
    return response
