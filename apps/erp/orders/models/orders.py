"""Orders, products, line items, quotes."""

from typing import ClassVar

from django.db import models

from apps.erp.base.model_fields import (
    RATE_DECIMALS,
    RATE_DIGITS,
    BureauForeignKey,
    Currency,
    ForeignUriField,
    Money,
    amount_of,
    measure,
    name_field,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.prices import Customer, PriceList
from apps.erp.organisation.models.master_data import Material, Shipping
from apps.erp.organisation.models.workflows import ModelLibrary, Workflow
from core.state_machine import Stateful, Targets, fully_connected


class Order(BureauResource, Stateful):
    """What a customer wants; its status follows its line items.

    number   : within its bureau, from 1 in the order of creation; assigned by the database
    currency : what its quote is in; the bureau's where empty
    is_instant : whether it is confirmed without a review, once its parts are estimated and decided
    awaits_payment : whether its line items are on hold until it is paid
    balance        : gross of its invoices less credit notes and payments; kept by the database
    net            : of its latest quote that is not withdrawn, without one of its line items; set
                     by the database; null where no amount is known

    Stored and returned, without effect: ip_sensitivity, order_owner, order_type, quote_number,
    region, business_segment, channel_representative, sales_representative, sales_status.
    """

    class Status(models.TextChoices):
        NEW = "new"
        CONFIRMED = "confirmed"
        IN_PROGRESS = "in-progress"
        COMPLETE = "complete"
        CANCELLED = "cancelled"

    # It follows its line items, wherever they go.
    TRANSITIONS = fully_connected(Status)

    class Sensitivity(models.TextChoices):
        HIGH = "high"
        MEDIUM = "medium"
        LOW = "low"

    # Neither complete nor cancelled.
    OPEN: ClassVar = (Status.NEW, Status.CONFIRMED, Status.IN_PROGRESS)

    KIND = "order"
    SORTED = ("number", "due_date", "priority")
    READ_ONLY = frozenset({"number", "status"})
    PRIVATE = frozenset({"creator", "is_instant", "awaits_payment", "balance", "net"})
    GROUPS = {
        "shipping": {
            "address": "shipping_address",
            "name": "shipping_name",
            "tracking": "shipping_tracking",
            "uri": "shipping",
        }
    }

    name = name_field()
    number = models.PositiveIntegerField(db_default=0)
    status = models.CharField(max_length=16, choices=Status, default=Status.NEW)
    due_date = models.DateTimeField(null=True, blank=True)
    ip_sensitivity = models.CharField(  # noqa: DJ001  null: not said
        max_length=16, choices=Sensitivity, null=True, blank=True
    )
    priority = models.IntegerField(null=True, blank=True)
    currency = Currency(blank=True, default="")
    customer_email = models.EmailField(blank=True, default="")
    customer_name = short_text_field()
    customer_po = short_text_field()
    notes = text_field()
    order_owner = short_text_field()
    order_type = short_text_field()
    quote_number = short_text_field()
    region = short_text_field()
    business_segment = short_text_field()
    channel_representative = short_text_field()
    sales_representative = short_text_field()
    sales_status = short_text_field()
    shipping_address = text_field()
    shipping_name = short_text_field()
    shipping_tracking = short_text_field()
    shipping = BureauForeignKey(Shipping, null=True, blank=True)
    customer = BureauForeignKey(Customer, null=True, blank=True)
    price_list = BureauForeignKey(PriceList, null=True, blank=True)
    is_instant = models.BooleanField(default=False, db_default=False)
    awaits_payment = models.BooleanField(default=False, db_default=False)
    balance = models.DecimalField(
        max_digits=RATE_DIGITS, decimal_places=RATE_DECIMALS, default=0, db_default=0
    )
    net = models.DecimalField(  # more digits than an amount has: of any number of line items
        max_digits=30, decimal_places=RATE_DECIMALS, null=True, editable=False
    )
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(fields=["bureau", "number"], name="order_number_once")
        ]
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="order_status"),
            models.Index(fields=["bureau", "due_date"], name="order_due"),
            models.Index(
                fields=["customer"], name="order_unpaid", condition=models.Q(balance__gt=0)
            ),
        ]


class Product(BureauResource):
    """A part of the library that an order has."""

    KIND = "product"
    PARENT = "order"
    FIXED = frozenset({"model_library"})

    order = BureauForeignKey(Order, related_name="products")
    model_library = BureauForeignKey(ModelLibrary)
    name = short_text_field()


class LineItem(BureauResource, Stateful):
    """So many of one part, made in one way.

    orientation     : a person's word about turning; null leaves it to the model
    config          : what it is sliced with; null: the printer type's
    layer_thickness : mm
    estimates       : by apps.erp.orders.domain.prices.cost_estimate.estimate; null until computed
    slice           : that its print time comes from
    errors          : why it is in `error`
    price           : by apps.erp.orders.domain.prices.line_prices; null where it is sold at cost
    review          : why a person must look before there is a price
    manual_price    : what such a person said: net, note, by
    priority        : its place in queues, 1 first; null: its order's
    position        : order of work by hand, before all priorities, lowest first; null: none
    hold            : whether no run takes its pieces for now

    Stored and returned, without effect: custom_field_values, itar.
    """

    class Status(models.TextChoices):
        NEW = "new"
        CALCULATING = "calculating_estimates"
        PENDING = "pending"
        CONFIRMED = "confirmed"
        QUEUED = "queued"
        PRINTING = "printing"
        POST_PROCESSING = "post-processing"
        SHIPPING = "shipping"
        COMPLETE = "complete"
        CANCELLED = "cancelled"
        ERROR = "error"

    class Orientation(models.TextChoices):
        FREE = "free"
        UPRIGHT = "upright"
        AS_IS = "as_is"

    # The states in which it follows its pieces, wherever they go.
    FOLLOWING: ClassVar = (
        Status.CONFIRMED,
        Status.QUEUED,
        Status.PRINTING,
        Status.POST_PROCESSING,
        Status.SHIPPING,
    )
    # The states in which pieces of it may go into a run that prints.
    PRINTABLE: ClassVar = FOLLOWING[:3]
    TRANSITIONS = {
        **fully_connected(FOLLOWING, Status.COMPLETE),
        Status.CONFIRMED: Targets(*FOLLOWING[1:], Status.COMPLETE, asked={Status.CANCELLED}),
        Status.NEW: Targets(
            Status.CALCULATING, Status.PENDING, Status.ERROR, asked={Status.CANCELLED}
        ),
        Status.CALCULATING: Targets(Status.PENDING, Status.ERROR, asked={Status.CANCELLED}),
        Status.PENDING: Targets(
            Status.ERROR, asked={Status.CALCULATING, Status.CONFIRMED, Status.CANCELLED}
        ),
        Status.CANCELLED: Targets(asked={Status.PENDING}),
        Status.ERROR: Targets(asked={Status.CALCULATING}),
    }
    NEWS = {
        Status.PENDING: {
            "estimates.print_time": {"type": ["number", "null"]},
            "estimates.material": {"type": ["number", "null"]},
            "estimates.cost.amount": {"type": ["number", "null"]},
            "estimates.cost.currency": {"type": ["string", "null"]},
        }
    }

    KIND = "line-item"
    READ_ONLY = frozenset({"estimates", "slice_uri", "errors", "price", "review"})
    PRIVATE = frozenset({"creator"})
    GROUPS = {"materials": {"base": "base_material", "support": "support_material"}}
    LARGEST_QUANTITY: ClassVar[int] = 10_000
    # Before it is confirmed: its estimate follows what is changed of it.
    OPEN: ClassVar = (
        Status.NEW,
        Status.CALCULATING,
        Status.PENDING,
        Status.CANCELLED,
        Status.ERROR,
    )
    # What is made, and how: settled when it is confirmed.
    SETTLED: ClassVar = frozenset(
        {
            "product",
            "model_uri",
            "no_model_upload",
            "quantity",
            "base_material",
            "support_material",
            "workflow",
            "config_uri",
        }
    )

    # When it is made: the estimate does not depend on them.
    PLANNING: ClassVar = frozenset({"priority", "position", "hold"})
    # What it is sliced with follows them, where that is presets.
    PICKING: ClassVar = frozenset({"layer_thickness", "infill_strategy", "support_strategy"})

    order = BureauForeignKey(Order, null=True, blank=True, related_name="line_items")
    product = BureauForeignKey(Product, null=True, blank=True)
    model_uri = ForeignUriField(kind="model", null=True, blank=True, db_index=True)
    no_model_upload = models.BooleanField(default=False)
    name = short_text_field()
    status = models.CharField(max_length=32, choices=Status, default=Status.NEW)
    quantity = models.PositiveIntegerField(default=1)
    base_material = BureauForeignKey(Material, null=True, blank=True)
    support_material = BureauForeignKey(Material, null=True, blank=True)
    workflow = BureauForeignKey(Workflow, null=True, blank=True)
    layer_thickness = measure(null=True, blank=True)
    orientation = models.CharField(  # noqa: DJ001  null: not said
        max_length=16, choices=Orientation, null=True, blank=True
    )
    config_uri = ForeignUriField(kind="config", null=True, blank=True, db_index=True)
    support_strategy = short_text_field()
    infill_strategy = short_text_field()
    custom_field_values = models.JSONField(default=list, blank=True)
    customer_id = short_text_field()
    # Whether arms regulations (ITAR) hold for the part; null: not said.
    itar = models.BooleanField(null=True, blank=True)
    priority = models.IntegerField(null=True, blank=True)
    position = models.IntegerField(null=True, blank=True)
    hold = models.BooleanField(default=False, db_default=False)
    notes = text_field()
    estimates = models.JSONField(null=True, blank=True)
    slice_uri = ForeignUriField(kind="slice", null=True, blank=True, db_index=True)
    errors = models.JSONField(null=True, blank=True)
    price = models.JSONField(null=True, blank=True)
    review = models.JSONField(null=True, blank=True)
    manual_price = models.JSONField(null=True, blank=True)
    creator = user_field()

    class Meta(BureauResource.Meta):
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="line_item_status"),
        ]

    @property
    def material_name(self) -> str:
        """Name of the base material; empty without one."""
        return self.base_material.name if self.base_material else ""

    @property
    def color(self) -> str | None:
        """Colour of the base material, #RRGGBB; None if not set."""
        return (self.base_material and self.base_material.color) or None


class Quote(BureauResource, Stateful):
    """An order's estimate as it was offered: never changed, and accepted at most once.

    lines     : one entry a line item, and one for the order's own shipping
    amount    : of all lines; null where that of one is not known
    net, taxes, gross : the same with taxes, where the order is priced by a list
    lead_time : of all parts, made one after another, s; null where that of a line is not known
    accepted_by : name that the customer enters on the page of the order
    """

    class Status(models.TextChoices):
        OPEN = "open"
        ACCEPTED = "accepted"
        WITHDRAWN = "withdrawn"

    TRANSITIONS = {Status.OPEN: Targets(asked={Status.ACCEPTED, Status.WITHDRAWN})}

    KIND = "quote"
    PARENT = "order"
    FIXED = frozenset({"valid_days"})
    READ_ONLY = frozenset(
        {
            *("amount", "currency", "net", "taxes", "gross"),
            *("lines", "lead_time", "expires", "accepted", "accepted_by"),
        }
    )
    PRIVATE = frozenset({"creator"})

    order = BureauForeignKey(Order, models.CASCADE, related_name="quotes")
    status = models.CharField(max_length=16, choices=Status, default=Status.OPEN)
    amount = Money(null=True)
    currency = Currency()
    net = Money(null=True)
    taxes = models.JSONField(default=list)
    gross = Money(null=True)
    lines = models.JSONField(default=list)
    lead_time = amount_of(null=True)
    expires = models.DateTimeField()
    accepted = models.DateTimeField(null=True, blank=True)
    accepted_by = short_text_field(db_default="")
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["order"], name="one_open_quote", condition=models.Q(status="open")
            )
        ]
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(
                fields=["bureau", "expires"], name="quote_open", condition=models.Q(status="open")
            ),
        ]
