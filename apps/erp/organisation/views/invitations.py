"""Views: invitations to a bureau."""

from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.fields import CharField
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import RowViewSet
from apps.erp.organisation.models.invitations import Invitation
from apps.erp.organisation.services import invitations
from core.api.fields import StrictSerializer
from core.api.openapi.response_types import Uri
from core.api.renderers import Response
from core.api.views import ApiView
from core.uris import base_url


class InvitationLinkAnswer(TypedDict):
    """A link that accepts an invitation."""

    link: Annotated[str, "Address of the page on which the invitation is accepted."]
    token: Annotated[str, "Token of the link; returned only here."]
    expires: Annotated[datetime, "End of the link."]


class AcceptedAnswer(TypedDict):
    """What the caller has accepted."""

    bureau: Uri
    role: Annotated[str, Literal["owner", "production", "sales", "viewer"]]


class AcceptSerializer(StrictSerializer):
    """The token of a link."""

    token = CharField(max_length=100, help_text="Token of the link.")


class InvitationViewSet(RowViewSet):
    kind = Invitation

    @extend_schema(request=None, responses={201: InvitationLinkAnswer})
    def new_link(self, request: Request, uuid: UUID) -> Response:
        """Create a new link of an invitation."""
        row = self.row(uuid)
        authorization.require_to_change(self.caller, row)
        token, expires = invitations.new_link(row=row)
        body: InvitationLinkAnswer = {
            "link": f"{base_url('')}/invitation/{token}/",
            "token": token,
            "expires": expires,
        }
        return Response(body, 201)


class AcceptView(ApiView):
    """A token for a role."""

    @extend_schema(request=AcceptSerializer, responses={200: AcceptedAnswer})
    def post(self, request: Request) -> Response:
        """Accept the invitation of a link."""
        serializer = AcceptSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        row = invitations.accept(actor=self.caller, **serializer.validated_data)
        body: AcceptedAnswer = {"bureau": row.bureau.uri, "role": row.role}
        return Response(body)
