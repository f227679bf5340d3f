"""The manufacturing system, as the wiring sees it."""

from apps.erp.models import Attempt, LineItem, Order, Piece, PriceTable, Run
from core.states import events_of

EVENTS = events_of(Attempt, Order, LineItem, Piece, PriceTable, Run)
