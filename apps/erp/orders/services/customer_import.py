"""Import of customers: many rows at once, each created, updated or refused by itself."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypedDict, cast

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower, Now
from rest_framework.exceptions import ValidationError

from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.companies import CustomerCompany
from apps.erp.orders.models.prices import CUSTOMER_RIGHT, Customer, CustomerGroup
from apps.erp.orders.services import customers, price_lists
from core.api.exception_handler import fault_entries
from core.api.fields import ValidatedData
from core.api.openapi.response_types import Uri
from core.auth_user import Person
from core.postgres import advisory_locks

MAX_CUSTOMERS = 5000  # of one import
BATCH = 500  # rows of a statement

# Fields of a row with the name of a resource, by the field of the customer and its kind.
NAMED: dict[str, tuple[str, type[CustomerGroup] | type[CustomerCompany]]] = {
    "group_name": ("group", CustomerGroup),
    "company_name": ("company", CustomerCompany),
}

Identity = tuple[str, str]  # field by which a customer is identified, and its value


class RowError(TypedDict):
    """Why a row is refused."""

    code: Annotated[str, "Error code."]
    title: Annotated[str, "What is wrong, and what to do."]
    field: Annotated[str | None, "Field of the row; null if it is about all of them."]


class ImportResult(TypedDict):
    """The result of a row."""

    outcome: Annotated[str, Literal["new", "updated", "unchanged", "error"]]
    customer: Annotated[Uri | None, "Customer; null for errors, and for new ones in a dry run."]
    errors: Annotated[list[RowError], "Why the row is refused; empty for others."]


@dataclass
class _Row:
    """A row: its values, the customer that it creates or changes, or why it is refused."""

    values: ValidatedData = field(default_factory=dict)
    customer: Customer | None = None
    outcome: str = "error"
    changed: list[str] = field(default_factory=list)
    errors: list[RowError] = field(default_factory=list)

    def refuse(self, code: str, title: str, name: str) -> None:
        """Mark the row as refused for the value of a field."""
        self.outcome, self.customer = "error", None
        self.errors = [{"code": code, "title": title, "field": name}]


@transaction.atomic
def import_customers(
    *,
    actor: Person,
    bureau: Bureau,
    rows: Sequence[Mapping[str, object]],
    read: Callable[[Mapping[str, object]], ValidatedData],
    dry_run: bool = False,
) -> list[ImportResult]:
    """Create and update customers of a bureau, and return a result for each row, in their order.

    A row is the customer with its reference, or else with its e-mail address, or, where it has
    neither, with its name. Its group and company are named, and must exist. A refused row leaves
    the others as they are.

    read    : validates a row. Raises ValidationError
    dry_run : whether nothing is written

    Raises MissingRight.
    """
    price_lists.require(actor, bureau, CUSTOMER_RIGHT)
    advisory_locks.advisory_lock(f"customer import {bureau.pk}")
    results = [_validated(row, read) for row in rows]
    _resolve_names(bureau, [row for row in results if not row.errors])
    valid = [row for row in results if not row.errors]
    _match(valid, _existing(bureau, valid))
    for row in valid:
        if not row.errors:
            _prepare(row, actor, bureau)
    if not dry_run:
        _write(valid)
    return [
        {
            "outcome": row.outcome,
            "customer": None
            if row.customer is None or (dry_run and row.outcome == "new")
            else row.customer.uri,
            "errors": row.errors,
        }
        for row in results
    ]


def _validated(
    row: Mapping[str, object], read: Callable[[Mapping[str, object]], ValidatedData]
) -> _Row:
    try:
        return _Row(values=read(row))
    except ValidationError as error:
        entries = fault_entries(error.get_full_details())
        return _Row(
            errors=[
                {"code": each["code"], "title": each["title"], "field": each.get("field")}
                for each in entries
            ]
        )


def _resolve_names(bureau: Bureau, rows: Sequence[_Row]) -> None:
    """Replace names of groups and companies by these, and refuse rows that name others."""
    for field_name, (column, kind) in NAMED.items():
        named = [row for row in rows if field_name in row.values and not row.errors]
        wanted = {str(row.values[field_name]).lower() for row in named} - {""}
        by_name = _by_name(kind, bureau, wanted)
        for row in named:
            name = str(row.values.pop(field_name))
            matches = by_name[name.lower()]
            row.values[column] = matches[0] if matches else None
            label = kind.KIND.replace("-", " ")
            if name and not matches:
                title = f"There is no {label} {name!r}. Create it first, or correct the name."
                row.refuse("name-not-found", title, field_name)
            elif len(matches) > 1:
                title = f"{len(matches)} have the name {name!r}, each a {label}. Rename one."
                row.refuse("property-value-not-in-allowed-values", title, field_name)


def _by_name(
    kind: type[CustomerGroup] | type[CustomerCompany], bureau: Bureau, names: set[str]
) -> dict[str, list[CustomerGroup | CustomerCompany]]:
    """The resources of a bureau by their names in lower case."""
    by_name: dict[str, list[CustomerGroup | CustomerCompany]] = defaultdict(list)
    if names:
        rows = kind.objects.filter(bureau=bureau).alias(lower_name=Lower("name"))
        for row in cast("QuerySet[CustomerGroup]", rows.filter(lower_name__in=names)):
            by_name[row.name.lower()].append(row)
    return by_name


def _identity(values: Mapping[str, object]) -> Identity:
    """By what a customer is identified: values are compared without regard to case."""
    for name in ("reference", "email"):
        if value := str(values.get(name) or ""):
            return name, value.lower()
    return "name", str(values.get("name", "")).lower()


def _existing(bureau: Bureau, rows: Iterable[_Row]) -> dict[Identity, list[Customer]]:
    """The customers of a bureau that rows may be, by each value that may identify them."""
    wanted: dict[str, set[str]] = {"reference": set(), "email": set(), "name": set()}
    for row in rows:
        name, value = _identity(row.values)
        wanted[name].add(value)
        if email := str(row.values.get("email") or ""):
            wanted["email"].add(email.lower())
    lower = {f"lower_{name}": Lower(name) for name in wanted}
    is_wanted = Q()
    for name, values in wanted.items():
        is_wanted |= Q(**{f"lower_{name}__in": values})
    by_identity: dict[Identity, list[Customer]] = defaultdict(list)
    customers_of_bureau = Customer.objects.filter(bureau=bureau).select_related("group", "company")
    for customer in customers_of_bureau.alias(**lower).filter(is_wanted):
        for name in wanted:
            if value := str(getattr(customer, name)).lower():
                by_identity[name, value].append(customer)
    return by_identity


def _match(rows: Iterable[_Row], existing: Mapping[Identity, list[Customer]]) -> None:
    """Set the customer of each row that there is, and refuse rows that are not unique."""
    seen: set[Identity] = set()
    for row in rows:
        name, value = identity = _identity(row.values)
        matches = existing.get(identity, [])
        email = str(row.values.get("email") or "").lower()
        if name == "reference" and not matches and email:
            # A customer that has no reference yet.
            matches = [each for each in existing.get(("email", email), []) if not each.reference]
        if len(matches) > 1:
            title = f"{len(matches)} customers have this {name}: {value}. Send a reference."
            row.refuse("property-value-not-in-allowed-values", title, name)
            continue
        row.customer = matches[0] if matches else None
        own = {identity, ("customer", str(row.customer.pk))} if row.customer else {identity}
        if own & seen:
            title = f"An earlier row has the same {name}: {value}. Remove one of them."
            row.refuse("resource-exists", title, name)
        seen |= own


def _prepare(row: _Row, actor: Person, bureau: Bureau) -> None:
    """Make the customer of a row, or change it, without writing it."""
    customer = row.customer
    if customer is None:
        row.customer = Customer(bureau=bureau, **row.values)
        row.outcome = "new"
        return
    values = customers.prepared(customer, row.values, actor)
    row.changed = [name for name, value in values.items() if getattr(customer, name) != value]
    row.outcome = "updated" if row.changed else "unchanged"
    for name in row.changed:
        setattr(customer, name, values[name])


def _write(rows: Sequence[_Row]) -> None:
    made = [row.customer for row in rows if row.customer and row.outcome == "new"]
    Customer.objects.bulk_create(made, batch_size=BATCH)
    updated = [row.customer for row in rows if row.customer and row.outcome == "updated"]
    if changed := sorted({name for row in rows for name in row.changed}):
        Customer.objects.bulk_update(updated, changed, batch_size=BATCH)
        Customer.objects.filter(pk__in=[row.pk for row in updated]).update(updated=Now())
