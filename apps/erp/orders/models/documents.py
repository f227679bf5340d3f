"""Documents of orders, such as invoices, and the series that number them."""

from typing import ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from apps.erp.base.model_fields import (
    BureauForeignKey,
    Currency,
    Money,
    short_text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.base.models.bureaus import Bureau
from apps.erp.orders.models.orders import Order, Quote
from apps.erp.orders.models.prices import PRICE_RIGHT, Customer
from apps.erp.orders.models.shipments import Shipment
from core.models import Blob
from core.state_machine import Stateful, Targets

MAX_PREFIX = 20
MAX_NUMBER = 999_999_999


class DocumentType(models.TextChoices):
    """What a document is."""

    QUOTE = "quote"
    CONFIRMATION = "confirmation"
    INVOICE = "invoice"
    CREDIT_NOTE = "credit-note"
    DELIVERY_NOTE = "delivery-note"


class DocumentSeries(BureauResource):
    """How the documents of a type are numbered: `prefix`, the year where `yearly`, the number.

    next : the number of the next document, as long as its year is `year`
    year : of the last number; null before the first
    """

    KIND = "document-series"
    RIGHT = PRICE_RIGHT
    FIXED = frozenset({"type"})
    READ_ONLY = frozenset({"year"})
    PRIVATE = frozenset({"creator"})

    type = models.CharField(max_length=16, choices=DocumentType)
    prefix = models.CharField(max_length=MAX_PREFIX, blank=True, default="")
    next = models.PositiveIntegerField(
        default=1, validators=[MinValueValidator(1), MaxValueValidator(MAX_NUMBER)]
    )
    yearly = models.BooleanField(default=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    creator = user_field()

    class Meta(BureauResource.Meta):
        verbose_name_plural = "document series"
        constraints = [
            models.UniqueConstraint(fields=["bureau", "type"], name="document_series_once")
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.prefix}"


class Document(BureauResource, Stateful):
    """A document as it was issued: what it says never changes, and it is never deleted.

    number   : by its series
    year, sequence : of the number within its series; without gaps
    data     : what the document says, by apps.erp.orders.domain.documents.document_data
    customer : of its order; set by the database
    quote    : that a quote document shows
    corrects : the invoice that a credit note corrects
    shipment : that a delivery note lists
    net, gross : in `currency`; null where the price of a line is missing, and of delivery notes
    content  : the PDF; null until it is made
    """

    class Status(models.TextChoices):
        PROCESSING = "processing"
        PROCESSED = "processed"
        ERROR = "error"

    TRANSITIONS = {
        Status.PROCESSING: Targets(Status.PROCESSED, Status.ERROR),
        Status.ERROR: Targets(Status.PROCESSING),
    }

    KIND = "document"
    PARENT = "order"
    RIGHT = PRICE_RIGHT
    FIXED = frozenset({"type", "corrects", "shipment"})
    READ_ONLY = frozenset(
        {
            *("series", "number", "year", "sequence", "issued_on", "language", "quote", "data"),
            *("status", "currency", "net", "gross", "content", "errors"),
        }
    )
    PRIVATE = frozenset({"creator", "customer", "series", "year", "sequence", "data", "content"})
    SORTED: ClassVar[tuple[str, ...]] = ("number", "issued_on", "gross")

    order = BureauForeignKey(Order, related_name="documents")
    customer = BureauForeignKey(  # kept there by the constraint of the order
        Customer,
        models.DO_NOTHING,
        null=True,
        editable=False,
        db_index=False,
        db_constraint=False,
    )
    type = models.CharField(max_length=16, choices=DocumentType)
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    series = BureauForeignKey(DocumentSeries, null=True, blank=True, related_name="documents")
    number = short_text_field()
    year = models.PositiveSmallIntegerField(default=0)
    sequence = models.PositiveIntegerField(default=0)
    issued_on = models.DateField()
    language = models.CharField(max_length=2, choices=Bureau.Language)
    quote = BureauForeignKey(Quote, models.SET_NULL, null=True, blank=True)
    corrects = BureauForeignKey("self", null=True, blank=True, related_name="corrections")
    shipment = BureauForeignKey(Shipment, null=True, blank=True, related_name="documents")
    currency = Currency()
    net = Money(null=True, blank=True)
    gross = Money(null=True, blank=True)
    data = models.JSONField()
    content = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="+")
    errors = models.JSONField(null=True, blank=True)
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["series", "year", "sequence"], name="document_numbered_once"
            ),
            models.UniqueConstraint(
                fields=["bureau", "type", "number"],
                condition=~models.Q(number=""),
                name="document_number_once",
            ),
            models.UniqueConstraint(fields=["quote"], name="document_of_quote_once"),
            models.UniqueConstraint(fields=["shipment"], name="document_of_shipment_once"),
        ]
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(
                fields=["customer", "issued_on"],
                include=["type", "net"],
                name="document_revenue",
                condition=models.Q(type__in=("invoice", "credit-note")),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type} {self.number}".strip()

    @property
    def owner_id(self) -> object:
        """The account whose share the job is done on."""
        return self.creator_id
