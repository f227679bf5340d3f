"""Views: price lists, terms, tax rules, calendars, customers and storefronts."""

from typing import Any, ClassVar
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.serializers.resources import flat
from apps.erp.base.views.resources import Below, RowViewSet
from apps.erp.orders.models.companies import CompanyMember, CustomerCompany, OrderApproval
from apps.erp.orders.models.prices import (
    CUSTOMER_RIGHT,
    PRICE_RIGHT,
    Customer,
    CustomerGroup,
    PriceList,
    PriceTerm,
    TaxRule,
    WorkingCalendar,
)
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.orders.serializers import prices as serializers
from apps.erp.orders.serializers.storefronts import StorefrontAnswer, StorefrontSerializer
from apps.erp.orders.services import (
    companies,
    customer_import,
    customer_segments,
    customers,
    price_lists,
    storefronts,
)
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.errors import NotFound

IMPORT_DRY_RUN = OpenApiParameter(
    "dry_run", bool, description="Dry run: returns the result of each row, and writes nothing."
)


class SellingViewSet(RowViewSet):
    """What only those see who make a bureau's prices."""

    right: ClassVar[str] = PRICE_RIGHT

    def rows(self) -> QuerySet:
        return price_lists.of_sellers(super().rows(), self.caller, self.right)

    def listed(self) -> Any:
        return self.rows()

    def read(self, request: Request, row: Any = None) -> ValidatedData:
        """The values of the body, which nobody reads for a caller without the right."""
        given: Any = request.data
        if row is not None:
            self.require(row)
        elif (above := self._above(given)) is not None:
            price_lists.require(self.caller, above, self.right)
        return flat(self.kind, ResourceViewSet.read(self, request, row))

    def require(self, row: Any) -> None:
        price_lists.require(self.caller, row.bureau, self.right)

    def may(self, row: Any, right: str) -> bool:
        return True  # nobody else sees it

    def _above(self, given: Any) -> Any:
        uri = given.get(self.kind.PARENT) if isinstance(given, dict) else None
        parent: Any = self.kind._meta.get_field(self.kind.PARENT).related_model
        keys = parent.keys_of(uri) if isinstance(uri, str) else []
        found = parent.objects.filter(pk__in=keys).first()
        return getattr(found, "bureau", found)


class _TriedViewSet(SellingViewSet):
    """What is tried whenever it changes."""

    writes = price_lists

    def perform_create(self, values: ValidatedData) -> Any:
        return price_lists.create(actor=self.caller, kind=self.kind, **values)


class PriceListViewSet(_TriedViewSet):
    kind = PriceList
    serializer_class = serializers.PriceListSerializer
    answers = serializers.PriceListAnswer


class PriceTermViewSet(_TriedViewSet):
    kind = PriceTerm
    serializer_class = serializers.PriceTermSerializer
    answers = serializers.PriceTermAnswer


class TaxRuleViewSet(SellingViewSet):
    kind = TaxRule
    serializer_class = serializers.TaxRuleSerializer
    answers = serializers.TaxRuleAnswer


class WorkingCalendarViewSet(SellingViewSet):
    kind = WorkingCalendar
    serializer_class = serializers.WorkingCalendarSerializer
    answers = serializers.WorkingCalendarAnswer


class CustomerGroupViewSet(SellingViewSet):
    kind = CustomerGroup
    right = CUSTOMER_RIGHT


class CustomerViewSet(SellingViewSet):
    kind = Customer
    serializer_class = serializers.CustomerSerializer
    listing = serializers.CUSTOMER_LISTING
    writes = customers
    right = CUSTOMER_RIGHT

    def listed(self) -> QuerySet:
        names = self.request.query_params
        # What they read takes 2 ms to be compiled, also where no column of it is named.
        if any(name.startswith(("count_by", "filter[segment]", "sort")) for name in names):
            return customer_segments.with_segments(self.rows(), self.caller)
        return self.rows()


class CustomerImportView(Below):
    """Import of customers into a bureau."""

    says = {"post": "Import customers"}
    kind = Bureau

    @extend_schema(
        parameters=[IMPORT_DRY_RUN],
        request=serializers.CustomerImportSerializer,
        responses={200: serializers.CustomerImportAnswer},
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        """Create and update customers, each row by itself, with a result for each."""
        bureau = self.row(uuid)
        price_lists.require(self.caller, bureau, CUSTOMER_RIGHT)
        body = serializers.CustomerImportSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        row = serializers.ImportedCustomerSerializer(context={"request": request})
        results = customer_import.import_customers(
            actor=self.caller,
            bureau=bureau,
            rows=body.validated_data["customers"],
            read=row.run_validation,
            dry_run=list_queries.flag(request.query_params, "dry_run"),
        )
        answer: serializers.CustomerImportAnswer = {"results": results}
        return Response(answer)


class CustomerCompanyViewSet(SellingViewSet):
    kind = CustomerCompany
    right = CUSTOMER_RIGHT


class CompanyMemberViewSet(SellingViewSet):
    kind = CompanyMember
    writes = companies
    right = CUSTOMER_RIGHT


class OrderApprovalViewSet(SellingViewSet):
    kind = OrderApproval
    right = CUSTOMER_RIGHT


class StorefrontViewSet(SellingViewSet):
    kind = Storefront
    serializer_class = StorefrontSerializer
    answers = StorefrontAnswer
    writes = storefronts


class ListDocumentView(ApiView):
    """A price list as a document that can be kept, compared and put back."""

    says = {
        "get": "Export a price list as one document",
        "put": "Import a price list from its document",
    }
    serializer_class = serializers.ListDocumentSerializer

    def _list(self, uuid: UUID) -> Any:
        found = price_lists.of_sellers(PriceList.objects.all(), self.caller)
        row = found.filter(pk=uuid).select_related("bureau").first()
        if row is None:
            raise NotFound("There is no such price list, or not for you.")
        return row

    @extend_schema(responses={200: serializers.ListDocumentAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        return Response(price_lists.document_of(self._list(uuid)))

    @extend_schema(request=serializers.ListDocumentSerializer, responses={204: None})
    def put(self, request: Request, uuid: UUID) -> Response:
        row = self._list(uuid)
        body = serializers.ListDocumentSerializer(data=request.data, context={"request": request})
        body.is_valid(raise_exception=True)
        price_lists.replace(actor=self.caller, row=row, **body.validated_data)
        return Response(status=204)
