"""Views: reports of providers on operations."""

from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.integrations.domain.protocol import LARGEST_MESSAGE
from apps.integrations.serializers.report import ReportSerializer
from apps.integrations.services import reports
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import ServiceError


class TooLarge(ServiceError):
    """A report of more than LARGEST_MESSAGE bytes."""

    status = 413
    code = "payload-too-large"


class ReportView(ApiView):
    """How far a provider is: signed with its service's secret, which is all that it needs."""

    says = {"post": "Report the status of an operation as its provider"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        request=ReportSerializer,
        parameters=[
            OpenApiParameter("signature", str, description="Signature from the report URL.")
        ],
        responses={204: OpenApiResponse(description="Accepted.")},
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        body = request._request.body
        if len(body) > LARGEST_MESSAGE:
            raise TooLarge(f"A report has at most {LARGEST_MESSAGE} bytes.")
        reports.require_signature(
            uuid=uuid,
            signature=request.query_params.get("signature", ""),
            headers=request.headers,
            body=body,
        )
        serializer = ReportSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        reports.take_report(uuid=uuid, **serializer.validated_data)
        return Response(status=204)
