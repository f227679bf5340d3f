"""The manufacturing system, as the wiring sees it."""

from apps.erp.models import LineItem, Order, Piece, PriceTable, Run
from core.states import events_of

EVENTS = events_of(Order, LineItem, Piece, PriceTable, Run)
