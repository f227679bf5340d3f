"""Re-exports every model of the app (Django loads them from here; app label stays `erp`)."""

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.bureaus import (
    Bureau,
    Feature,
    Location,
    Logo,
    MembershipBureau,
    MembershipLocation,
    PermissionBureau,
    PermissionLocation,
)
from apps.erp.base.models.messages import Message, NotificationChannel
from apps.erp.inventory.models.lots import Stock
from apps.erp.inventory.models.movements import Reservation, StockMovement
from apps.erp.orders.models.card_payments import CardAccount, CardCheckout
from apps.erp.orders.models.companies import CompanyMember, CustomerCompany, OrderApproval
from apps.erp.orders.models.documents import Document, DocumentSeries
from apps.erp.orders.models.messages import MessageTemplate, StaffNotification
from apps.erp.orders.models.orders import LineItem, Order, Product, Quote
from apps.erp.orders.models.payments import BankAccount, OrderPayment
from apps.erp.orders.models.pieces import Piece
from apps.erp.orders.models.prices import (
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
from apps.erp.orders.models.print_reports import (
    PrintDecision,
    PrintReport,
    PrintReportFile,
    ProcessLimits,
)
from apps.erp.orders.models.share_links import ShareLink
from apps.erp.orders.models.shipments import Shipment, ShipmentLine
from apps.erp.orders.models.storefronts import Storefront
from apps.erp.organisation.models.equipment import (
    PostProcessor,
    PostProcessorType,
    Printer,
    PrinterType,
)
from apps.erp.organisation.models.invitations import Invitation
from apps.erp.organisation.models.maintenance import MaintenanceTask
from apps.erp.organisation.models.master_data import (
    CurrencyConversion,
    Manufacturer,
    Material,
    ServiceProvider,
    Shipping,
    ThirdParty,
)
from apps.erp.organisation.models.workflows import ModelLibrary, ProcessStep, Workflow
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.models.cameras import AttemptPicture, CameraPicture, Timelapse
from apps.erp.printing.models.connection_tests import ConnectionTest
from apps.erp.printing.models.readings import AttemptReadings
from apps.erp.printing.models.slicer_uploads import ReceivedFile, SlicerKey
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.capacity import Capacity
from apps.erp.production.models.maintenance import DueMaintenance, MaintenanceEntry
from apps.erp.production.models.runs import Place, Run

__all__ = [
    "Agent",
    "Attempt",
    "AttemptPicture",
    "AttemptReadings",
    "BankAccount",
    "Bureau",
    "ConnectionTest",
    "CameraPicture",
    "Capacity",
    "CardAccount",
    "CardCheckout",
    "CurrencyConversion",
    "CompanyMember",
    "Customer",
    "CustomerCompany",
    "OrderApproval",
    "CustomerGroup",
    "Document",
    "DocumentSeries",
    "DueMaintenance",
    "Feature",
    "Invitation",
    "LineItem",
    "Location",
    "Logo",
    "MaintenanceEntry",
    "MaintenanceTask",
    "Manufacturer",
    "Material",
    "MembershipBureau",
    "MembershipLocation",
    "Message",
    "MessageTemplate",
    "ModelLibrary",
    "NotificationChannel",
    "Order",
    "OrderPayment",
    "PermissionBureau",
    "PermissionLocation",
    "Piece",
    "Place",
    "PostProcessor",
    "PostProcessorType",
    "PriceList",
    "PriceTable",
    "PriceTerm",
    "PrintDecision",
    "PrintReport",
    "PrintReportFile",
    "PrintSpeed",
    "Printer",
    "PrinterType",
    "ProcessLimits",
    "ProcessStep",
    "Product",
    "Quote",
    "ReceivedFile",
    "Reservation",
    "BaseResource",
    "Run",
    "ServiceProvider",
    "ShapeNumbers",
    "Shipment",
    "ShipmentLine",
    "Shipping",
    "SlicerKey",
    "StaffNotification",
    "Stock",
    "ShareLink",
    "Storefront",
    "StockMovement",
    "TaxRule",
    "ThirdParty",
    "Timelapse",
    "Workflow",
    "WorkingCalendar",
]
