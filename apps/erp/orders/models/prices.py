"""Price lists, terms, tax rules, customers, calendars, price tables."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from apps.erp.base.model_fields import (
    BureauForeignKey,
    Currency,
    Money,
    amount_of,
    measure,
    name_field,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource, RowQuerySet
from apps.erp.base.models.bureaus import Bureau
from apps.erp.organisation.models.equipment import PostProcessorType, PrinterType
from apps.erp.organisation.models.master_data import Material, Shipping
from core.api.lists.union_queries import count_all
from core.model_fields import DatabaseTimeField
from core.state_machine import Stateful
from pricing import terms, working_days
from pricing.sentences import DEFAULT, LANGUAGES
from pricing.tax import CATEGORIES

# What selling needs, on a bureau: bureau.permission.all contains both.
PRICE_RIGHT, CUSTOMER_RIGHT = "price.all", "customer.all"


def _words(words: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(word, word) for word in words]


def _country() -> models.CharField:
    return models.CharField(max_length=2, blank=True, default="")


class WorkingCalendar(BureauResource):
    """When a bureau works: its days, holidays, and the hour after which a day counts no more.

    weekdays     : 0 is Monday
    holidays     : dates, ISO 8601
    hours_a_day  : that each printer works
    shipping_days: working days from the hall to the customer
    """

    KIND = "working-calendar"
    RIGHT = PRICE_RIGHT

    name = name_field()
    time_zone = models.CharField(max_length=64, default="UTC")
    cut_off = models.PositiveSmallIntegerField(default=24)
    weekdays = models.JSONField(default=working_days.weekdays, blank=True)
    holidays = models.JSONField(default=list, blank=True)
    hours_a_day = amount_of(default=24)
    shipping_days = models.PositiveSmallIntegerField(default=2)


class PriceList(BureauResource):
    """What a bureau sells by.

    country           : that it sells from
    is_default        : whether orders are priced by it that name no other
    least_total, most_total, ask_above, most_quantity, most_hours : of a line; beyond them a
                        person looks
    max_size, max_weight : of a piece, longest side in mm and g; beyond them a person looks
    includes_tax      : whether its amounts are gross: the tax is taken out of the line
    percentages       : whether factors multiply, or each is on the amounts alone
    since             : the first day on which it holds
    sell_estimates    : whether a line is sold before its slice is done
    hours_per_build, seconds_per_layer : machine time where nothing slices
    tried, warnings   : what sample parts and the last real ones cost by it, and what to look at;
                        made whenever the list changes
    """

    KIND = "price-list"
    RIGHT = PRICE_RIGHT
    READ_ONLY = frozenset({"tried", "warnings"})

    name = name_field()
    description = text_field()
    country = _country()
    language = models.CharField(max_length=2, choices=_words(LANGUAGES), default=DEFAULT)
    is_default = models.BooleanField(default=False)
    calendar = BureauForeignKey(WorkingCalendar, null=True, blank=True)
    least_total = Money(null=True, blank=True)
    most_total = Money(null=True, blank=True)
    ask_above = Money(null=True, blank=True)
    most_quantity = models.PositiveIntegerField(null=True, blank=True)
    most_hours = amount_of(null=True, blank=True)
    max_size = amount_of(null=True, blank=True)
    max_weight = amount_of(null=True, blank=True)
    includes_tax = models.BooleanField(default=False, db_default=False)
    percentages = models.CharField(
        max_length=16,
        choices=_words(terms.PERCENTAGES),
        default=terms.PERCENTAGES[0],
        db_default=terms.PERCENTAGES[0],
    )
    since = models.DateField(null=True, blank=True)
    sell_estimates = models.BooleanField(default=False)
    hours_per_build = amount_of(null=True, blank=True)
    seconds_per_layer = amount_of(null=True, blank=True)
    tried = models.JSONField(default=list, blank=True)
    warnings = models.JSONField(default=list, blank=True)

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["bureau", "since"],
                condition=Q(is_default=True),
                nulls_distinct=False,
                name="one_default_price_list_of_a_day",
            )
        ]


class CustomerGroup(BureauResource):
    """Customers who are sold to alike: by a list of their own, and by its terms for them."""

    KIND = "customer-group"
    RIGHT = CUSTOMER_RIGHT

    name = name_field()
    description = text_field()
    price_list = BureauForeignKey(PriceList, null=True, blank=True)


class CustomerQuerySet(RowQuerySet):
    """Customers in segments, by what `services.customer_segments.with_segments` adds to them."""

    SEGMENTS: ClassVar = {
        "company": Q(company__isnull=False) | ~Q(vat_number=""),
        "private": Q(company__isnull=True, vat_number=""),
        "open-orders": Q(has_open_orders=True),
        "unpaid": Q(is_unpaid=True),
        "storefront": Q(has_storefront_account=True),
        "no-storefront": Q(has_storefront_account=False),
    }

    def count_values(self, field: str) -> dict[str, int]:
        """Return how many customers are in each segment, the only field that is counted so."""
        # Semi-joins are faster than conditions of an aggregate: 14, not 54 ms.
        lengths = count_all([self.filter(each).order_by() for each in self.SEGMENTS.values()])
        return dict(zip(self.SEGMENTS, lengths, strict=True))


class Customer(BureauResource):
    """Whom a bureau sells to; `user` is the account that may read what they are asked for.

    reference     : that the bureau has for it, such as a customer number
    contact       : the person to speak to
    language      : of mails to it; empty: that of the bureau
    vat_confirmed : whether somebody looked the number up where its country says whose it is;
                    `vat_confirmed_by` did, `vat_confirmed_on` that moment
    """

    KIND = "customer"
    RIGHT = CUSTOMER_RIGHT
    READ_ONLY = frozenset({"vat_confirmed_by", "vat_confirmed_on"})

    name = name_field()
    reference = short_text_field(db_default="")
    contact = short_text_field(db_default="")
    email = models.EmailField(blank=True, default="")
    phone = short_text_field(db_default="")
    address = text_field()
    country = _country()
    vat_number = short_text_field()
    vat_confirmed = models.BooleanField(default=False)
    vat_confirmed_by = user_field(null=True, blank=True)
    vat_confirmed_on = models.DateTimeField(null=True, blank=True)
    language = models.CharField(
        max_length=2, choices=Bureau.Language, blank=True, default="", db_default=""
    )
    group = BureauForeignKey(CustomerGroup, null=True, blank=True)
    company = BureauForeignKey(
        "erp.CustomerCompany", null=True, blank=True, related_name="customers"
    )
    user = user_field(null=True, blank=True)
    notes = text_field()

    objects: ClassVar = CustomerQuerySet.as_manager()


class PriceTerm(BureauResource):
    """One rule of a price list, in one of the steps that docs/prices.md tells.

    breaks    : [{from, amount}] or [{from, factor}]
    formula   : gives the amount; `when` is a condition without which it does not hold
    materials, printer_types, post_processor_types, shippings, countries, customer_groups : that it
                is for; for all where none is named
    sentence  : {language: text}, for the customer
    """

    KIND = "price-term"
    PARENT = "price_list"
    RIGHT = PRICE_RIGHT
    SORTED = ("position",)

    price_list = BureauForeignKey(PriceList, models.CASCADE, related_name="terms")
    step = models.CharField(max_length=16, choices=_words(tuple(terms.STEPS)))
    position = models.PositiveIntegerField(default=0)
    name = name_field()
    unit = short_text_field()
    amount = Money(null=True, blank=True)
    factor = Money(null=True, blank=True)
    formula = models.TextField(max_length=1000, blank=True, default="")
    when = models.TextField(max_length=1000, blank=True, default="")
    on = short_text_field()
    by = short_text_field()
    breaks = models.JSONField(default=list, blank=True)
    kind_of_break = models.CharField(
        max_length=16, choices=_words(terms.KINDS_OF_BREAK), default=terms.KINDS_OF_BREAK[0]
    )
    may_fall = models.BooleanField(default=False)
    rounding = models.CharField(
        max_length=16, choices=_words(terms.ROUNDINGS), default=terms.ROUNDINGS[0]
    )
    materials = models.ManyToManyField(Material, blank=True, related_name="+")
    printer_types = models.ManyToManyField(PrinterType, blank=True, related_name="+")
    post_processor_types = models.ManyToManyField(PostProcessorType, blank=True, related_name="+")
    shippings = models.ManyToManyField(Shipping, blank=True, related_name="+")
    customer_groups = models.ManyToManyField(CustomerGroup, blank=True, related_name="+")
    countries = models.JSONField(default=list, blank=True)
    least = Money(null=True, blank=True)
    most = Money(null=True, blank=True)
    sentence = models.JSONField(default=dict, blank=True)

    # Its links to others, as the kernel calls them.
    CHOSEN: ClassVar = {
        "materials": "materials",
        "printer_types": "printer_types",
        "post_processor_types": "finishes",
        "shippings": "shippings",
        "customer_groups": "groups",
    }


class TaxRule(BureauResource):
    """A line of the table that a bureau is taxed by; the platform knows no law.

    country : whose tax it is; any where empty
    rate    : per cent
    since   : the first day on which it holds
    """

    KIND = "tax-rule"
    RIGHT = PRICE_RIGHT

    name = name_field()
    category = models.CharField(max_length=2, choices=_words(CATEGORIES))
    country = _country()
    rate = Money(default=0)
    oss = models.BooleanField(default=False)
    since = models.DateField(null=True, blank=True)
    sentence = models.JSONField(default=dict, blank=True)


class PriceTable(BureauResource, Stateful):
    """What parts cost in many ways: gone when `expires` is over.

    key     : of all that it was computed from; whoever asks the same gets the same table
    errors  : why its cells could not be computed, in the status error
    asked   : the request
    basis   : all that it is computed from, as it was then
    slices  : key of model and config -> URI of the slice, or null; waits_for : these URIs
    """

    class Status(models.TextChoices):
        PENDING = "pending"
        ESTIMATED = "estimated"
        MIXED = "mixed"
        EXACT = "exact"
        ERROR = "error"

    TRANSITIONS = {
        Status.PENDING: {Status.ESTIMATED, Status.MIXED, Status.EXACT, Status.ERROR},
        Status.ESTIMATED: {Status.MIXED, Status.EXACT},
        Status.MIXED: {Status.MIXED, Status.EXACT},
    }

    KIND = "price-table"
    PRIVATE = frozenset({"creator", "key", "asked", "basis", "slices", "waits_for"})

    key = models.CharField(max_length=64, unique=True)
    status = models.CharField(max_length=16, choices=Status, default=Status.ESTIMATED)
    currency = Currency()
    customer = BureauForeignKey(Customer, null=True, blank=True)
    asked = models.JSONField()
    basis = models.JSONField()
    cells = models.JSONField(default=list)
    slices = models.JSONField(default=dict)
    waits_for = models.JSONField(default=list)
    line_items = models.JSONField(default=list)
    errors = models.JSONField(null=True, blank=True)
    expires = models.DateTimeField()
    creator = user_field()


class ShapeNumbers(models.Model):
    """What is measured of a mesh for prices, once: by the SHA-256 of its canonical file.

    steep, flat : surface by how it is printed, mm²
    hull        : volume of the convex hull, mm³
    overhang    : share of the surface that hangs over as the mesh stands; null until measured
    """

    sha256 = models.CharField(primary_key=True, max_length=64)
    steep = measure()
    flat = measure()
    hull = models.FloatField(null=True)
    overhang = models.FloatField(null=True)

    class Meta:
        verbose_name_plural = "shape numbers"

    def __str__(self) -> str:
        return self.sha256


class PrintSpeed(models.Model):
    """What machine time is estimated by, learnt from slices of one config and engine version.

    key    : of the config's content and the engine's version
    time   : seconds for each cm³ of shell and of infill, for each layer, and once
    volume : cm³ for each cm³ of shell and of infill, and once
    within : how far off nine of ten slices were, judged by the others, per cent
    """

    key = models.CharField(primary_key=True, max_length=64)
    time = models.JSONField()
    volume = models.JSONField()
    within = models.FloatField()
    learnt_from = models.PositiveIntegerField()
    updated = DatabaseTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.key[:8]}, from {self.learnt_from} slices"
