"""Edit and validate price lists and terms."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Model, Q, QuerySet

from apps.erp.base.models.bureaus import BUREAU_GRANTING, NAMESPACE, Bureau
from apps.erp.base.services import resources
from apps.erp.orders.domain.prices import cost_terms, line_prices, price_lists
from apps.erp.orders.domain.response_types import ManualPriceAnswer
from apps.erp.orders.models.orders import LineItem, Order, Quote
from apps.erp.orders.models.prices import (
    PRICE_RIGHT,
    CustomerGroup,
    PriceList,
    PriceTable,
    PriceTerm,
)
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material, Shipping
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core.api.openapi.response_types import FreeJson
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError
from core.money import is_exact
from core.postgres import advisory_locks
from core.rights import cached_on_user, keys_with_right, missing_right
from pricing import terms
from pricing.cost_drivers import KnownDriver
from pricing.errors import InvalidTerm
from pricing.list_validation import sample_parts, try_list

# The last line items with a slice that a list is tried with.
REAL_PARTS = 5


class InvalidPriceTerm(ServiceError):
    """A term that cannot mean a price."""

    code = "invalid-price-term"


# ---------------------------------------------------------------- rights


def priced_bureaus(user: Person, right: str = PRICE_RIGHT) -> set[UUID]:
    """The keys of the bureaus whose prices `user` makes: by this right, or by granting it."""

    def ask() -> set[UUID]:
        held, granting = (
            Q(pk__in=keys_with_right(user, each, namespace=NAMESPACE))
            for each in (right, BUREAU_GRANTING)
        )
        return set(Bureau.objects.filter(held | granting).values_list("pk", flat=True))

    return cached_on_user(user, (NAMESPACE, "selling", right), ask)


def makes_prices(user: Person, bureau: UUID, right: str = PRICE_RIGHT) -> bool:
    """Return whether `user` makes the prices of a bureau.

    bureau : its key
    """
    return user.is_staff or bureau in priced_bureaus(user, right)


def require(user: Person, bureau: Bureau, right: str = PRICE_RIGHT) -> None:
    """Raise MissingRight unless `user` makes the bureau's prices."""
    if not makes_prices(user, bureau.pk, right):
        raise missing_right(user, right, namespace=NAMESPACE, on=bureau.uri)


def sees_prices(user: Person, row: Order | LineItem | Quote | PriceTable) -> bool:
    """Return whether `user` reads what an order, a line item, a quote or a price table costs.

    Whoever makes the bureau's prices does, and the account that created the row.
    """
    return makes_prices(user, row.bureau_id) or row.creator_id == user.pk


def of_sellers(rows: QuerySet, user: Person, right: str = PRICE_RIGHT) -> QuerySet:
    """Those of these rows whose bureau's prices `user` makes."""
    return rows if user.is_staff else rows.filter(bureau__in=priced_bureaus(user, right))


def is_known(given: Mapping[str, Any] | None, row: LineItem) -> bool:
    """Whether this was said before: a line item that is put back says nothing new of its price."""
    kept = row.manual_price
    if given is None or kept is None:
        return False
    return (float(given["net"]), given.get("note") or "") == (kept["net"], kept["note"])


def by_hand(
    given: Mapping[str, Any] | None, row: LineItem, user: Person
) -> ManualPriceAnswer | None:
    """What somebody says that a line item costs, with their name. Raises InvalidFields."""
    if given is None:
        return None
    currency = row.order.currency if row.order else row.bureau.currency
    net = given["net"]
    if not is_exact(Decimal(net), currency or row.bureau.currency):
        words = f"{currency} has not so many decimals."
        code = "property-value-not-in-allowed-values"
        raise InvalidFields([ServiceError(words, code=code, field="manual_price.net")])
    return {"net": float(net), "note": given.get("note") or "", "by": user.uri}


# ---------------------------------------------------------------- lists and terms


@transaction.atomic
def create(*, actor: Person, kind: Any, **values: Any) -> Any:
    """A list, or a term of one: tried at once."""
    row = resources.create(actor=actor, kind=kind, **values)
    retry(row if kind is PriceList else row.price_list)
    return row


@transaction.atomic
def change(*, actor: Person, row: Any, **values: Any) -> None:
    """Change what was given of a list or a term; the list is tried anew."""
    resources.change(actor=actor, row=row, **values)
    retry(row if isinstance(row, PriceList) else row.price_list)


@transaction.atomic
def delete(*, row: Any) -> None:
    """Delete a list that nothing names, or a term."""
    of = None if isinstance(row, PriceList) else row.price_list
    resources.delete(row=row)
    if of is not None:
        retry(of)


def retry(row: PriceList) -> None:
    """Try a list with sample parts and the last real ones, and keep what they cost by it.

    Raises InvalidPriceTerm where a term cannot mean a price.
    """
    advisory_locks.advisory_lock(f"price list {row.pk}")
    sold_by = _kernel(row)
    deal = price_lists.deal_of(row)
    parts = [*sample_parts(), *_real_parts(row)]
    before = {(each["part"], each["quantity"]): each["net"] for each in row.tried}
    tried, warned = try_list(sold_by, parts, deal) if sold_by.terms else ([], [])
    row.tried = [
        {
            "part": each.part,
            "quantity": each.quantity,
            "net": None if each.price.net is None else float(each.price.net),
            "before": before.get((each.part, each.quantity)),
            "review": [reason.why for reason in each.price.review],
        }
        for each in tried
    ]
    row.warnings = [
        {"term": each.term or None, "part": each.part, "title": each.title} for each in warned
    ]
    row.save(update_fields=["tried", "warnings", "updated"])


def _kernel(row: PriceList) -> terms.PriceList:
    try:
        return price_lists.kernel_of(row)
    except InvalidTerm as rejection:
        raise InvalidFields(
            [InvalidPriceTerm(rejection.title, field=rejection.details.get("field"))]
        ) from None


def _real_parts(row: PriceList) -> list[tuple[str, dict[str, KnownDriver]]]:
    """The numbers of the last line items of the bureau that were sliced."""
    items = LineItem.objects.filter(bureau=row.bureau_id).exclude(slice_uri=None)
    items = items.filter(estimates__isnull=False).select_related("base_material").order_by("-pk")
    found = []
    for item in items[:REAL_PARTS]:
        model = warehouse.get_model_unchecked(item.model_uri) if item.model_uri else None
        sliced = slicing.get_slice_unchecked(item.slice_uri) if item.slice_uri else None
        if model is None or sliced is None or sliced.status != "processed" or not item.estimates:
            continue
        numbers = line_prices.numbers_of(
            row,
            model=model,
            made=line_prices.made_of(sliced, ""),
            material=item.base_material,
            printer_type=cost_terms.printer_type_of(cost_terms.steps_of(item)),
            piece=cost_terms.stored_piece_cost(item.estimates, item.quantity),
        )
        found.append((f"{item.name or model.name} ({item.uri})", numbers))
    return found


# ---------------------------------------------------------------- as a document

_LINKS: dict[str, type[Model]] = {
    "materials": Material,
    "printer_types": PrinterType,
    "post_processor_types": PostProcessorType,
    "shippings": Shipping,
    "customer_groups": CustomerGroup,
}
_TERM = (
    *("step", "position", "name", "unit", "amount", "factor", "formula", "when", "on", "by"),
    *("breaks", "kind_of_break", "may_fall", "rounding", "countries", "least", "most", "sentence"),
)
# Of a list, in its document.
_OPTIONS = ("includes_tax", "percentages", "since", "max_size", "max_weight")
_COLUMNS: dict[str, Any] = {name: PriceTerm._meta.get_field(name) for name in _TERM}


def document_of(row: PriceList) -> FreeJson:
    """A list as a document: its terms, which name materials and the like by their names."""
    found = []
    for term in price_lists.terms_of(row):
        columns = {
            name: float(value) if isinstance(value, Decimal) else value
            for name in _TERM
            if (value := getattr(term, name)) != _COLUMNS[name].get_default()
        }
        names = {
            column: sorted(str(other) for other in getattr(term, column).all()) for column in _LINKS
        }
        found.append(columns | {column: each for column, each in names.items() if each})
    options = {name: getattr(row, name) for name in _OPTIONS}
    return {"name": row.name, "currency": row.bureau.currency, **options, "terms": found}


@transaction.atomic
def replace(
    *, actor: Person, row: PriceList, terms: Iterable[Mapping[str, object]], **options: object
) -> None:
    """Make a list what a document says: all its terms are replaced. Raises InvalidFields.

    options : of the list, as far as the document names them
    """
    advisory_locks.advisory_lock(f"price list {row.pk}")
    resources.change(actor=actor, row=row, **options)
    row.terms.all().delete()
    for at, each in enumerate(terms):
        unknown = each.keys() - {*_TERM, *_LINKS}
        if unknown:
            raise _fault(at, sorted(unknown)[0], f"A term has no {sorted(unknown)[0]!r}.")
        links = {name: _named(row, at, name, each[name]) for name in _LINKS if name in each}
        _checked(each, at)
        plain = {name: each[name] for name in _TERM if each.get(name) is not None}
        resources.create(actor=actor, kind=PriceTerm, price_list=row, **plain, **links)
    retry(row)


def _checked(each: Mapping[str, Any], at: int) -> None:
    """Refuse what no column takes, before the database sees it."""
    for name in _TERM:
        column = _COLUMNS[name]
        value = each.get(name)
        if value is None or name in ("breaks", "countries", "sentence"):
            continue
        try:
            column.clean(
                str(value) if name in ("amount", "factor", "least", "most") else value, None
            )
        except Exception as error:
            messages = getattr(error, "messages", None) or [str(error)]
            raise _fault(at, name, f"{messages[0]}") from None


def _named(row: PriceList, at: int, column: str, names: Any) -> list[Any]:
    kind: Any = _LINKS[column]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _fault(at, column, "Send a list of names.")
    found = list(kind.objects.filter(bureau=row.bureau_id, name__in=names).order_by("pk"))
    missing = sorted(set(names) - {other.name for other in found})
    if missing:
        what = kind.KIND
        raise _fault(at, column, f"The bureau has no {what} named {missing[0]!r}: make one.")
    return found


def _fault(at: int, field: str, words: str) -> InvalidFields:
    title = f"Term {at + 1}: {words}"
    return InvalidFields([InvalidPriceTerm(title, field=f"terms.{at}.{field}")])
