"""From bureaus to runs: what the manufacturing system keeps."""

from apps.erp.models.agents import Agent
from apps.erp.models.attempts import Attempt
from apps.erp.models.base import Row
from apps.erp.models.bureau import (
    Bureau,
    Feature,
    Location,
    MembershipBureau,
    MembershipLocation,
    PermissionBureau,
    PermissionLocation,
)
from apps.erp.models.capacity import Capacity
from apps.erp.models.machines import PostProcessor, PostProcessorType, Printer, PrinterType
from apps.erp.models.movements import Reservation, StockMovement
from apps.erp.models.order import LineItem, Order, Product, Quote
from apps.erp.models.prices import (
    Customer,
    CustomerGroup,
    PriceList,
    PriceTable,
    PriceTerm,
    PrintSpeed,
    ShapeNumbers,
    TaxRule,
    WorkingCalendar,
)
from apps.erp.models.production import Piece, Place, Run
from apps.erp.models.stock import Stock
from apps.erp.models.supply import (
    CurrencyConversion,
    Manufacturer,
    Material,
    ServiceProvider,
    Shipping,
    ThirdParty,
)
from apps.erp.models.workflow import ModelLibrary, ProcessStep, Workflow

__all__ = [
    "Agent",
    "Attempt",
    "Bureau",
    "Capacity",
    "CurrencyConversion",
    "Customer",
    "CustomerGroup",
    "Feature",
    "LineItem",
    "Location",
    "Manufacturer",
    "Material",
    "MembershipBureau",
    "MembershipLocation",
    "ModelLibrary",
    "Order",
    "PermissionBureau",
    "PermissionLocation",
    "Piece",
    "Place",
    "PostProcessor",
    "PostProcessorType",
    "PriceList",
    "PriceTable",
    "PriceTerm",
    "PrintSpeed",
    "Printer",
    "PrinterType",
    "ProcessStep",
    "Product",
    "Quote",
    "Reservation",
    "Row",
    "Run",
    "ServiceProvider",
    "ShapeNumbers",
    "Shipping",
    "Stock",
    "StockMovement",
    "TaxRule",
    "ThirdParty",
    "Workflow",
    "WorkingCalendar",
]
