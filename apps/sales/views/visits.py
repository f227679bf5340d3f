"""Views: storefronts, visits, their prices and orders."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.erp import interface as erp
from apps.sales.models import Visit
from apps.sales.serializers.visits import (
    PlacedOrderAnswer,
    ReorderAnswer,
    ReorderSerializer,
    VisitOrderSerializer,
    VisitSerializer,
    VisitSignInSerializer,
    VisitTableAnswer,
    VisitTableSerializer,
    reorder_resource,
    table_resource,
    visit_resource,
)
from apps.sales.services import visits
from core.api.fields import ValidatedData
from core.api.idempotency import answer_once
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.openapi.schema import IDEMPOTENCY
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.web.throttling import client_address


class StorefrontView(ApiView):
    """A storefront, for everybody."""

    says = {"get": "Read a storefront as its visitors see it"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(responses={200: erp.StorefrontPage})
    def get(self, request: Request, slug: str) -> Response:
        """Read what a storefront offers, and the brand of its shop."""
        return Response(erp.storefront_page(visits.find_storefront(slug)))


class VisitViewSet(ResourceViewSet):
    """Visits: begun by anybody; read, priced and ordered by their guest."""

    says = {
        "create": "Begin a visit of a storefront",
        "new_table": "Price the parts of a visit",
        "table": "Read a price table of a visit",
        "order": "Order the cart of a visit",
        "sign_in": "Sign a customer in at a visit",
        "reorder": "Put the parts of an order into the cart",
    }
    kind = Visit
    serializer_class = VisitSerializer
    represent = staticmethod(visit_resource)
    writes = visits
    listing = ListOptions(
        filters={
            "storefront": Column("storefront"),
            "created": Column("created", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )
    repeatable = False  # the answer has a secret

    def get_permissions(self) -> Any:
        return [AllowAny()] if self.action == "create" else super().get_permissions()

    def get_authenticators(self) -> Any:
        posts = self.request is not None and self.request.method == "POST"
        return [] if posts and not self.kwargs else super().get_authenticators()

    def perform_create(self, values: ValidatedData) -> Visit:
        return visits.create(storefront=values["storefront"])

    def perform_update(self, row: Visit, values: ValidatedData) -> None:
        visits.change(row=row, cart=values.get("cart", []))

    def row(self, uuid: UUID) -> Visit:
        row: Visit = super().row(uuid)
        if self.action == "retrieve":
            row.totals = visits.totals_of(row)
            row.is_signed_in = visits.account_of(row) is not None
        return row

    @extend_schema(request=VisitTableSerializer, responses={201: VisitTableAnswer})
    def new_table(self, request: Request, uuid: UUID) -> Response:
        """Have parts of the visit priced; an equal request returns the same price table."""
        visit = self.row(uuid)
        serializer = VisitTableSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        table = visits.new_table(visit, **serializer.validated_data)
        body = table_resource(visit, table)
        return Response(body, 201, headers={"Location": body["uri"]})

    @extend_schema(responses={200: VisitTableAnswer})
    def table(self, request: Request, uuid: UUID, key: UUID) -> Response:
        """Read a price table of the visit."""
        visit = self.row(uuid)
        return Response(table_resource(visit, visits.find_table(visit, key)))

    @extend_schema(request=VisitSignInSerializer, responses={204: None})
    def sign_in(self, request: Request, uuid: UUID) -> Response:
        """Have the visit priced for a customer, by the session of the account."""
        visit = self.row(uuid)
        serializer = VisitSignInSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        visits.sign_in(visit, **serializer.validated_data)
        return Response(status=204)

    @extend_schema(
        request=VisitOrderSerializer, responses={201: PlacedOrderAnswer}, parameters=[IDEMPOTENCY]
    )
    def order(self, request: Request, uuid: UUID) -> HttpResponse:
        """Order the cart; the answer has the secret address of the order's page."""
        return answer_once(request, lambda: self._order(request, uuid))

    @extend_schema(
        request=ReorderSerializer, responses={201: ReorderAnswer}, parameters=[IDEMPOTENCY]
    )
    def reorder(self, request: Request, uuid: UUID) -> HttpResponse:
        """Copy the parts of an order into the visit, by the token of its share link."""
        return answer_once(request, lambda: self._reorder(request, uuid))

    def _reorder(self, request: Request, uuid: UUID) -> Response:
        visit = self.row(uuid)
        serializer = ReorderSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        address = client_address(request._request)
        lines = visits.reorder(visit, address=address, **serializer.validated_data)
        return Response(reorder_resource(visit, lines), 201)

    def _order(self, request: Request, uuid: UUID) -> Response:
        visit = self.row(uuid)
        serializer = VisitOrderSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        placed = visits.order(visit, serializer.buyer())
        body: PlacedOrderAnswer = {
            "number": placed.number,
            "link": placed.page,
            "token": placed.token,
            "review": placed.is_reviewed,
            "totals": placed.totals,
            "mailed": placed.is_mailed,
        }
        return Response(body, 201)
