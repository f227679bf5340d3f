"""Admin pages that are made from the columns of their models alone."""

from django.contrib import admin

from apps.erp import models
from apps.erp.base.admin.resources import BookAdmin, Deletion, FeatureAdmin, page_of
from apps.erp.inventory.services import lots
from apps.erp.organisation.services import members

# How a row is deleted, where that is more than deleting the row.
DELETIONS: dict[type[models.BaseResource], Deletion] = {
    models.Bureau: lambda actor, row: members.delete_place(actor=actor, row=row),
    models.Location: lambda actor, row: members.delete_place(actor=actor, row=row),
    models.MembershipBureau: lambda actor, row: members.remove_member(actor=actor, row=row),
    models.PermissionBureau: lambda actor, row: members.revoke(actor=actor, row=row),
    models.PermissionLocation: lambda actor, row: members.revoke(actor=actor, row=row),
    models.Stock: lambda actor, row: lots.delete(row=row),
}

PLAIN: tuple[type[models.BaseResource], ...] = (
    models.BankAccount,
    models.CardAccount,
    models.CompanyMember,
    models.CurrencyConversion,
    models.Customer,
    models.CustomerCompany,
    models.CustomerGroup,
    models.Document,
    models.DocumentSeries,
    models.MaintenanceTask,
    models.Manufacturer,
    models.Material,
    models.MembershipLocation,
    models.MessageTemplate,
    models.ModelLibrary,
    models.NotificationChannel,
    models.PostProcessor,
    models.PostProcessorType,
    models.Printer,
    models.PriceTerm,
    models.PrinterType,
    models.ProcessLimits,
    models.ProcessStep,
    models.ServiceProvider,
    models.Shipping,
    models.ShareLink,
    models.StaffNotification,
    models.Storefront,
    models.TaxRule,
    models.ThirdParty,
    models.Workflow,
    models.WorkingCalendar,
)
for plain in PLAIN:
    admin.site.register(plain, page_of(plain))
for kind, delete in DELETIONS.items():
    admin.site.register(kind, page_of(kind, delete=delete))
admin.site.register(models.StockMovement, page_of(models.StockMovement, BookAdmin))
admin.site.register(models.MaintenanceEntry, page_of(models.MaintenanceEntry, BookAdmin))
admin.site.register(models.Message, page_of(models.Message, BookAdmin))
admin.site.register(models.OrderApproval, page_of(models.OrderApproval, BookAdmin))
admin.site.register(models.OrderPayment, page_of(models.OrderPayment, BookAdmin))
admin.site.register(models.Shipment, page_of(models.Shipment, BookAdmin))
admin.site.register(models.PrintReport, page_of(models.PrintReport, BookAdmin))
admin.site.register(models.PrintDecision, page_of(models.PrintDecision, BookAdmin))
admin.site.register(models.Feature, page_of(models.Feature, FeatureAdmin))
