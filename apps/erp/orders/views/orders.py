"""Views: orders, line items and quotes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, TypedDict
from uuid import UUID

from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.models.access import readable_by
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below, RowViewSet, changed_uris
from apps.erp.orders.domain.fulfilment import fulfilment_of
from apps.erp.orders.domain.prices.order_totals import totals_of_order
from apps.erp.orders.domain.shortages import terms_of
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.serializers.orders import (
    LineItemAnswer,
    LineItemSerializer,
    LineItemsSerializer,
    OrderAnswer,
    OrderSerializer,
    QuoteAnswer,
    QuoteSerializer,
    line_item_resource,
    order_resource,
    quote_resource,
)
from apps.erp.orders.services import customer_summaries, line_items, order_summaries, orders, quotes
from apps.erp.orders.services.order_figures import OrderFigures, order_figures
from apps.erp.orders.services.price_lists import priced_bureaus, sees_prices
from apps.warehouse import interface as warehouse
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.openapi.response_types import FreeJson
from core.api.openapi.schema import IDEMPOTENCY
from core.api.renderers import Response
from core.api.views import only_argument
from core.auth_user import Person
from core.web.internal_client import METHODS_ONLY

DRY_RUN = OpenApiParameter(
    "dry_run",
    bool,
    description="Dry run: returns the line item as it would be created with status 200, or the "
    "errors of the request, and creates nothing.",
)

MAX_SUMMARIES = 100  # of one request


class OrderSummariesAnswer(TypedDict):
    """Orders in a few figures each."""

    summaries: Annotated[list[order_summaries.OrderSummary], "In the order of the request."]


class CustomerSummariesAnswer(TypedDict):
    """Customers in a few figures each."""

    summaries: Annotated[list[customer_summaries.CustomerSummary], "In the order of the request."]


class OrderViewSet(RowViewSet):
    kind = Order
    serializer_class = OrderSerializer
    answers = OrderAnswer
    writes = orders

    def rows(self) -> QuerySet:
        rows = super().rows()
        if METHODS_ONLY in self.request._request.META:
            return rows
        if getattr(self, "action", None) == "retrieve":  # the totals read all columns
            return rows.prefetch_related("line_items", "quotes")
        items = LineItem.objects.only("pk", "order_id")
        found = Quote.objects.only("pk", "order_id", "status")
        return rows.prefetch_related(Prefetch("line_items", items), Prefetch("quotes", found))

    def represent(self, row: Order) -> FreeJson:
        """As one of a list it has no totals and no fulfilment: each takes several statements."""
        if getattr(self, "action", None) == "list":
            return order_resource(row, None, None)
        totals = totals_of_order(row) if sees_prices(self.caller, row) else None
        return order_resource(row, totals, fulfilment_of(row))

    def perform_create(self, values: ValidatedData) -> Order:
        values.pop("status", None)
        return orders.create(actor=self.caller, **values)

    def perform_update(self, row: Order, values: ValidatedData) -> None:
        if self.is_put_back(row) and values.get("status") != Order.Status.CANCELLED:
            values.pop("status", None)
        orders.change(actor=self.caller, row=row, **values)


class SummariesView(Below):
    """Resources of a bureau in a few figures each, for lists."""

    kind = Bureau
    named: ClassVar[str]  # of the argument, which the title of a refusal says too
    summaries_of: ClassVar[Callable[[Bureau, list[str], Person], Sequence[Mapping[str, object]]]]

    def summarise(self, request: Request, uuid: UUID) -> Response:
        """The summaries of the resources that the argument names."""
        bureau = self.row(uuid)
        remedy = f"Send the URIs of up to {MAX_SUMMARIES} {self.named}: ?{self.named}=...,..."
        argument = only_argument(request.query_params, self.named, of="A summary", remedy=remedy)
        uris = argument.split(",")
        if len(uris) > MAX_SUMMARIES:
            title = f"At most {MAX_SUMMARIES} {self.named} are summarised at once, not {len(uris)}."
            raise list_queries.BadQuery(title, field=self.named)
        return Response({"summaries": type(self).summaries_of(bureau, uris, self.caller)})


def _uris(named: str) -> OpenApiParameter:
    about = f"URIs of up to {MAX_SUMMARIES} {named} of the bureau, comma-separated."
    return OpenApiParameter(named, str, required=True, description=about)


class OrderSummariesView(SummariesView):
    """Orders of a bureau in a few figures each."""

    says = {"get": "Summarise orders of a bureau"}
    named = "orders"
    summaries_of = order_summaries.summaries_of

    @extend_schema(parameters=[_uris("orders")], responses={200: OrderSummariesAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        return self.summarise(request, uuid)


class OrderFiguresView(Below):
    """Open orders of a bureau in figures."""

    says = {"get": "Return the open orders of a bureau in figures"}
    kind = Bureau

    @extend_schema(responses={200: OrderFigures})
    def get(self, request: Request, uuid: UUID) -> Response:
        return Response(order_figures(self.row(uuid), self.caller))


class CustomerSummariesView(SummariesView):
    """Customers of a bureau in a few figures each."""

    says = {"get": "Summarise customers of a bureau"}
    named = "customers"
    summaries_of = customer_summaries.summaries_of

    @extend_schema(parameters=[_uris("customers")], responses={200: CustomerSummariesAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        return self.summarise(request, uuid)


class LineItemViewSet(RowViewSet):
    kind = LineItem
    serializer_class = LineItemSerializer
    answers = LineItemAnswer
    writes = line_items

    @extend_schema(
        parameters=[DRY_RUN, IDEMPOTENCY], responses={200: LineItemAnswer, 201: LineItemAnswer}
    )
    def create(self, request: Request, **keys: object) -> HttpResponse:
        if not list_queries.flag(request.query_params, "dry_run"):
            return super().create(request, **keys)
        with transaction.atomic():
            would = self.tell(self.perform_create(self.read(request)))
            transaction.set_rollback(True)
        return Response(would)

    def perform_create(self, values: ValidatedData) -> LineItem:
        plate = values.pop("plate", None)
        if plate is None:
            return super().perform_create(values)
        self._made = line_items.create_of_plate(actor=self.caller, plate=plate, **values)
        return self._made[0]

    @extend_schema(request=LineItemsSerializer, responses={204: None})
    def update_many(self, request: Request) -> Response:
        """Update many line items, all or none."""
        body: Any = request.data
        named = changed_uris(body.get("line_items"))
        rows = readable_by(LineItem, self.caller)
        authorization.require_membership_of(self.caller, rows, named, "these line items")
        serializer = LineItemsSerializer(data=request.data, context={"request": request})
        serializer.is_valid(raise_exception=True)
        line_items.change_many(serializer.validated_data["line_items"])
        return Response(status=204)

    def perform_update(self, row: LineItem, values: ValidatedData) -> None:
        # A price that the caller does not see is null in what they put back.
        if values.get("manual_price") is None and not sees_prices(self.caller, row):
            values.pop("manual_price", None)
        super().perform_update(row, values)

    _made: Sequence[LineItem] = ()  # of a plate

    def created_headers(self, row: LineItem) -> dict[str, str]:
        items = ", ".join(f'<{item.uri}>; rel="item"' for item in self._made)
        return super().created_headers(row) | ({"Link": items} if items else {})

    def represent(self, row: LineItem) -> FreeJson:
        return self.represent_all([row])[0]

    def represent_all(self, rows: Sequence[LineItem]) -> list[FreeJson]:
        pictures = warehouse.pictures_of({row.model_uri for row in rows if row.model_uri})
        sellers = priced_bureaus(self.caller)
        shortages = terms_of(rows)
        return [
            line_item_resource(
                row,
                pictures.get(row.model_uri or ""),
                selling=self.caller.is_staff or row.bureau_id in sellers,
                priced=sees_prices(self.caller, row),
                shortage=shortages.get(row.pk),
            )
            for row in rows
        ]


class QuoteViewSet(RowViewSet):
    kind = Quote
    serializer_class = QuoteSerializer
    answers = QuoteAnswer
    writes = quotes

    def represent(self, row: Quote) -> FreeJson:
        return quote_resource(row, priced=sees_prices(self.caller, row))

    def perform_update(self, row: Quote, values: ValidatedData) -> None:
        quotes.change(row=row, status=values.get("status", row.status))
