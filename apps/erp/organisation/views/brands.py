"""Views of the brand of a bureau: its logo, and what is served to everybody."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import parse_etags
from django.views.decorators.http import require_safe
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import BUREAU_GRANTING, NAMESPACE, Bureau, Logo
from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below
from apps.erp.organisation.serializers.brands import LogoSerializer
from apps.erp.organisation.services import brands
from core.api.renderers import Response

MAX_AGE_SECONDS = 3600


class LogoView(Below):
    """The logo of a bureau."""

    kind = Bureau
    says = {"put": "Set the logo of a bureau", "delete": "Delete the logo of a bureau"}

    @classmethod
    def takes(cls, action: str) -> str:
        return f"To hold `{BUREAU_GRANTING}` on it in `{NAMESPACE}`."

    def row(self, uuid: UUID) -> Bureau:
        bureau: Bureau = super().row(uuid)
        authorization.require_to_change(self.caller, bureau)
        return bureau

    @extend_schema(request=LogoSerializer, responses={204: None})
    def put(self, request: Request, uuid: UUID) -> Response:
        """Set the logo of a bureau."""
        bureau = self.row(uuid)
        serializer = LogoSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        brands.set_logo(actor=self.caller, row=bureau, **serializer.validated_data)
        return Response(status=204)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, uuid: UUID) -> Response:
        """Delete the logo of a bureau."""
        brands.delete_logo(row=self.row(uuid))
        return Response(status=204)


@require_safe
def style(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The style sheet of a bureau: one rule with its accent color."""
    accent = Bureau.objects.filter(pk=uuid).values_list("accent", flat=True).first()
    if not accent:
        raise Http404
    return _cached(request, f":root {{ --accent: {accent}; }}\n".encode(), accent[1:], "text/css")


@require_safe
def logo(request: HttpRequest, uuid: UUID) -> HttpResponse:
    """The logo of a bureau."""
    rows = Logo.objects.filter(bureau=uuid).values_list("content", "bureau__logo_sha256")
    row = rows.first()
    if row is None:
        raise Http404
    return _cached(request, bytes(row[0]), row[1][:32], "image/png")


def _cached(request: HttpRequest, content: bytes, version: str, content_type: str) -> HttpResponse:
    tag = f'"{version}"'
    is_cached = tag in parse_etags(request.headers.get("If-None-Match", ""))
    response = HttpResponse(status=304) if is_cached else HttpResponse(content)
    response["Content-Type"] = content_type
    response["ETag"] = tag
    response["Cache-Control"] = f"public, max-age={MAX_AGE_SECONDS}"
    response["X-Content-Type-Options"] = "nosniff"
    return response
