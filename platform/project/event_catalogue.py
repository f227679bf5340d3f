"""Catalogue of event types and their JSON Schemas."""

from apps.erp import interface as erp
from apps.integrations import interface as integrations
from apps.payment import interface as payment
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse

SCHEMAS = {
    **warehouse.EVENTS,
    **slicing.EVENTS,
    **integrations.EVENTS,
    **payment.EVENTS,
    **erp.EVENTS,
}
