"""Storefronts: how a bureau sells to visitors without an account."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from apps.erp.base.model_fields import (
    BureauForeignKey,
    Money,
    short_text_field,
    text_field,
    user_field,
)
from apps.erp.base.models.abstract import BureauResource
from apps.erp.orders.models.prices import PRICE_RIGHT, PriceList
from apps.erp.organisation.models.equipment import PostProcessorType
from apps.erp.organisation.models.master_data import Material

MAX_FILES = 20  # of a visit: as many models as a price table has
MAX_MEGABYTES = 10_000  # of a visit
MAX_DAYS = 365  # that files are kept
MAX_VISITS = 10_000  # of an address in an hour


def _count(limit: int, default: int) -> models.PositiveIntegerField:
    return models.PositiveIntegerField(
        default=default, validators=[MinValueValidator(1), MaxValueValidator(limit)]
    )


class Storefront(BureauResource):
    """A page on which visitors upload parts, see prices and order.

    slug            : of its address; unique
    title, text     : what the page says; the name of the bureau where there is no title
    enabled         : whether the page is served
    price_list      : that it sells by
    materials, post_processor_types : what it offers
    support_strategies, infill_strategies, layer_thicknesses : print options that it offers beside
                      those of the printer, as line items have them; mm
    review          : which orders a person looks at before they are confirmed: none, those above
                      `review_above` (net), or all
    prepayment      : whether production of an order starts once it is paid
    max_files, max_megabytes : of a visit
    visits_per_hour : of an address
    days_kept       : after which a visit and its files are deleted
    origins         : of the websites that may show the page in a frame
    """

    class Review(models.TextChoices):
        INSTANT = "instant"
        ABOVE = "above"
        ALWAYS = "always"

    KIND = "storefront"
    RIGHT = PRICE_RIGHT
    PRIVATE = frozenset({"creator"})

    slug = models.CharField(max_length=63)
    title = short_text_field()
    text = text_field()
    enabled = models.BooleanField(default=False)
    price_list = BureauForeignKey(PriceList)
    materials = models.ManyToManyField(Material, blank=True, related_name="+")
    post_processor_types = models.ManyToManyField(PostProcessorType, blank=True, related_name="+")
    support_strategies = models.JSONField(default=list, db_default=[], blank=True)
    infill_strategies = models.JSONField(default=list, db_default=[], blank=True)
    layer_thicknesses = models.JSONField(default=list, db_default=[], blank=True)
    review = models.CharField(max_length=16, choices=Review, default=Review.ALWAYS)
    review_above = Money(null=True, blank=True)
    prepayment = models.BooleanField(default=False, db_default=False)
    max_files = _count(MAX_FILES, 5)
    max_megabytes = _count(MAX_MEGABYTES, 100)
    visits_per_hour = _count(MAX_VISITS, 30)
    days_kept = _count(MAX_DAYS, 14)
    origins = models.JSONField(default=list, db_default=[], blank=True)
    creator = user_field()

    class Meta(BureauResource.Meta):
        constraints = [models.UniqueConstraint(fields=["slug"], name="storefront_slug_once")]

    def __str__(self) -> str:
        return self.slug
