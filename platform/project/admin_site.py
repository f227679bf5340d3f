"""AdminSite: dashboard and model groups."""

import os
from collections.abc import Iterator, Mapping
from datetime import timedelta
from operator import itemgetter
from typing import Any

from django.contrib.admin import AdminSite, autodiscover
from django.contrib.admin.apps import SimpleAdminConfig
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from core.uris import base_url
from ops.programs import NAME

DAY = timedelta(days=1)
MAX_FAILURES = 20  # of a kind

# Kinds by the work that one comes for, each in one section.
SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Orders",
        (
            "erp.Order",
            "erp.LineItem",
            "erp.Product",
            "erp.Quote",
            "erp.Shipment",
            "erp.ModelLibrary",
        ),
    ),
    (
        "Prices",
        (
            "erp.PriceList",
            "erp.PriceTerm",
            "erp.TaxRule",
            "erp.Customer",
            "erp.CustomerGroup",
            "erp.CustomerCompany",
            "erp.CompanyMember",
            "erp.OrderApproval",
            "erp.Document",
            "erp.DocumentSeries",
            "erp.Storefront",
            "sales.Visit",
            "sales.CustomerAccount",
            "sales.CustomerLink",
            "erp.ShareLink",
            "erp.BankAccount",
            "erp.CardAccount",
            "erp.OrderPayment",
            "erp.ProcessLimits",
            "erp.PrintReport",
            "erp.PrintReportFile",
            "erp.PrintDecision",
            "erp.Message",
            "erp.MessageTemplate",
            "erp.StaffNotification",
            "erp.NotificationChannel",
            "erp.WorkingCalendar",
            "erp.PriceTable",
        ),
    ),
    (
        "Production",
        (
            "erp.Run",
            "erp.Attempt",
            "erp.Timelapse",
            "erp.Piece",
            "erp.Stock",
            "erp.StockMovement",
            "erp.MaintenanceTask",
            "erp.MaintenanceEntry",
        ),
    ),
    (
        "Bureaus",
        (
            "erp.Bureau",
            "erp.Location",
            "erp.MembershipBureau",
            "erp.MembershipLocation",
            "erp.PermissionBureau",
            "erp.PermissionLocation",
            "erp.Feature",
            "erp.CurrencyConversion",
        ),
    ),
    (
        "Machines, materials, workflows",
        (
            "erp.PrinterType",
            "erp.Printer",
            "erp.Agent",
            "erp.PostProcessorType",
            "erp.PostProcessor",
            "erp.Material",
            "erp.Manufacturer",
            "erp.Workflow",
            "erp.ProcessStep",
            "erp.Shipping",
            "erp.ServiceProvider",
            "erp.ThirdParty",
        ),
    ),
    ("Models", ("warehouse.Model", "warehouse.Snapshot", "warehouse.Rendition")),
    (
        "Slicing",
        (
            "slicing.Slice",
            "slicing.Config",
            "slicing.Gcode",
            "slicing.LayerPaths",
            "slicing.PrinterGcode",
            "slicing.AgentEngine",
            "slicing.EngineJob",
            "slicing.Constraint",
            "slicing.Association",
        ),
    ),
    ("Search by shape", ("search.IndexedModel", "search.Descriptor", "search.PairCheck")),
    ("Providers", ("integrations.Operation", "integrations.Service")),
    (
        "Money",
        (
            "payment.Invoice",
            "payment.Charge",
            "payment.Price",
            "payment.Consent",
            "payment.PaymentMethod",
        ),
    ),
    (
        "People",
        (
            "users.User",
            "users.ApiToken",
            "users.Login",
            "users.SecondFactor",
            "users.AuditEvent",
            "core.Limit",
        ),
    ),
    ("Rights", ("users.Group", "users.Membership", "users.Permission")),
    (
        "Callbacks",
        (
            "callbacks.Delivery",
            "callbacks.Subscription",
            "callbacks.Event",
            "callbacks.Origin",
            "callbacks.WebhookSecret",
            "callbacks.Sink",
        ),
    ),
    (
        "Queue and server errors",
        ("dramatiq_postgres.Job", "dramatiq_postgres.Worker", "core.ServerError"),
    ),
)


class PlatformAdminSite(AdminSite):
    """Operators' pages."""

    site_header = site_title = "Manufacturing platform"
    index_title = "Administration"
    index_template = "admin/first_page.html"
    site_url = base_url("")  # the console

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        """The sections, in the form in which Django tells apps; of one app its kinds."""
        apps = super().get_app_list(request, app_label)
        if app_label is not None:
            return apps
        known = {kind["model"]._meta.label: kind for app in apps for kind in app["models"]}
        home = reverse("admin:index", current_app=self.name)
        return [
            {
                "name": name,
                "app_label": name.split(",")[0].lower().replace(" ", "-"),
                "app_url": home,
                "has_module_perms": True,
                "models": [known[label] for label in labels if label in known],
            }
            for name, labels in SECTIONS
        ]

    def index(
        self, request: HttpRequest, extra_context: Mapping[str, object] | None = None
    ) -> TemplateResponse:
        """How things are, what failed today, and all kinds."""
        from ops import status  # it needs the app registry, which this module is loaded for

        failures = sorted(self._failures(request), key=itemgetter("at"), reverse=True)
        state = {"health": status.look(), "queues": status.queues(), "failures": failures}
        return super().index(request, {**state, **(extra_context or {})})

    def _failures(self, request: HttpRequest) -> Iterator[dict[str, object]]:
        """What failed within a day, of all kinds, the newest of each."""
        since = timezone.now() - DAY
        for kind, page in self._registry.items():
            failed = getattr(page, "failed", None)
            if failed is None:
                continue
            name = f"admin:{kind._meta.app_label}_{kind._meta.model_name}"
            rows = page.get_queryset(request).filter(failed)
            rows = rows.filter(**{f"{page.failed_at}__gte": since})  # type: ignore[attr-defined]
            for row in rows.order_by(f"-{page.failed_at}")[:MAX_FAILURES]:  # type: ignore[attr-defined]
                yield {
                    "kind": kind._meta.verbose_name,
                    "row": row,
                    "page": reverse(f"{name}_change", args=[row.pk]),
                    "list": reverse(f"{name}_changelist"),
                    "at": getattr(row, page.failed_at),  # type: ignore[attr-defined]
                    "why": page.why(row),  # type: ignore[attr-defined]
                    "again": page.again,  # type: ignore[attr-defined]
                }


class Pages(SimpleAdminConfig):
    """Django's admin, with this site in place of its own."""

    default = False  # of the application `project`, beside which this module lies
    default_site = "project.admin_site.PlatformAdminSite"

    def ready(self) -> None:
        """Workers and their like show no pages, and start sooner without them."""
        super().ready()
        if os.environ.get(NAME, "web") == "web":
            autodiscover()
