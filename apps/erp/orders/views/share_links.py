"""Views: share links of orders."""

from typing import Annotated, TypedDict
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.views.resources import RowViewSet
from apps.erp.orders.domain.customer_pages import order_page
from apps.erp.orders.models.share_links import ShareLink
from apps.erp.orders.services import price_lists, share_links
from core.api.renderers import Response


class ShareLinkTokenAnswer(TypedDict):
    """The address of an order's page for its customer."""

    link: Annotated[str, "Address of the page of the order."]
    token: Annotated[str, "Token of the link; returned only here."]


class ShareLinkViewSet(RowViewSet):
    kind = ShareLink
    writes = share_links

    @extend_schema(request=None, responses={201: ShareLinkTokenAnswer})
    def new_token(self, request: Request, uuid: UUID) -> Response:
        """Create the address of a share link."""
        row = self.row(uuid)
        price_lists.require(self.caller, row.bureau)
        token = share_links.new_token(row=row)
        body: ShareLinkTokenAnswer = {"link": order_page(row.bureau_id, token), "token": token}
        return Response(body, 201)
