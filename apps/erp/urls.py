"""URLs of the erp host."""

from django.urls import path

from apps.callbacks import interface as callbacks
from apps.erp import models
from apps.erp.automation.views.schedule import ScheduleView
from apps.erp.base.views.resources import viewset_of
from apps.erp.inventory.views import lots
from apps.erp.orders.views import (
    documents,
    messages,
    orders,
    payments,
    prices,
    print_reports,
    share_links,
)
from apps.erp.organisation.views import brands, equipment, invitations, members, workflows
from apps.erp.organisation.views.roles import RoleViewSet
from apps.erp.price_tables.views.price_tables import PriceTableViewSet
from apps.erp.printing.views import (
    agents,
    attempts,
    cameras,
    connections,
    engine_jobs,
    gcode_runs,
)
from apps.erp.printing.views.figures import FailureRatesView, FiguresView, OpenCountsView
from apps.erp.production.views import labels, maintenance, runs
from apps.erp.production.views.packing import CapacityView, CreateRunsViewSet, UnpackingViewSet
from apps.erp.production.views.shipments import ShipmentViewSet
from apps.erp.production.views.shortages import ShortagesViewSet
from apps.erp.production.views.unscheduled import UnscheduledViewSet
from apps.erp.traceability.views.trace import RecallViewSet, TraceView
from core.api.urls import COLLECTION, READ, READ_LIST, document, resources

LINE_ITEMS = COLLECTION | {"put": "update_many"}
# Pieces are made by confirming their line item, and never deleted.
PIECES = {"get": "list", "put": "update_many"}
PIECE = {"get": "retrieve", "put": "update"}
# An attempt is the record of what a machine did, a shipment of what has left.
ATTEMPT = SHIPMENT = PIECE
READ_AND_DELETE = {"get": "retrieve", "delete": "destroy"}

urlpatterns = [
    *resources(members.BureauViewSet),
    *resources(members.LocationViewSet),
    *resources(members.MembershipBureauViewSet),
    *resources(viewset_of(models.MembershipLocation)),
    *resources(members.PermissionBureauViewSet),
    *resources(members.PermissionLocationViewSet),
    *resources(invitations.InvitationViewSet),
    *resources(RoleViewSet, collection=READ_LIST, one=READ),
    *resources(viewset_of(models.Feature)),
    *resources(viewset_of(models.Manufacturer)),
    *resources(lots.MaterialViewSet),
    *resources(lots.StockViewSet),
    *resources(lots.StockMovementViewSet, one=READ),
    *resources(viewset_of(models.Shipping)),
    *resources(viewset_of(models.ServiceProvider)),
    *resources(viewset_of(models.ThirdParty)),
    *resources(viewset_of(models.CurrencyConversion)),
    *resources(equipment.PrinterTypeViewSet),
    *resources(attempts.PrinterViewSet),
    *resources(maintenance.MaintenanceTaskViewSet),
    *resources(maintenance.MaintenanceEntryViewSet, one=READ),
    *resources(agents.AgentViewSet),
    *resources(gcode_runs.SlicerKeyViewSet),
    *resources(gcode_runs.ReceivedFileViewSet, collection=READ_LIST, one=READ_AND_DELETE),
    *resources(viewset_of(models.PostProcessorType)),
    *resources(viewset_of(models.PostProcessor)),
    *resources(prices.WorkingCalendarViewSet),
    *resources(prices.PriceListViewSet),
    *resources(prices.PriceTermViewSet),
    *resources(prices.TaxRuleViewSet),
    *resources(prices.CustomerGroupViewSet),
    *resources(prices.CustomerCompanyViewSet),
    *resources(prices.CompanyMemberViewSet),
    *resources(prices.OrderApprovalViewSet, collection=READ_LIST, one=READ),
    *resources(prices.CustomerViewSet),
    *resources(prices.StorefrontViewSet),
    *resources(share_links.ShareLinkViewSet),
    *resources(payments.BankAccountViewSet),
    *resources(payments.CardAccountViewSet),
    *resources(payments.OrderPaymentViewSet, one=READ),
    *resources(documents.DocumentSeriesViewSet),
    *resources(documents.DocumentViewSet, one=READ),
    *resources(ShipmentViewSet, one=SHIPMENT),
    *resources(print_reports.ProcessLimitsViewSet),
    *resources(print_reports.PrintReportViewSet, collection=READ_LIST, one=READ),
    *resources(print_reports.PrintDecisionViewSet, one=READ),
    *resources(messages.MessageViewSet, collection=READ_LIST, one=READ),
    *resources(messages.MessageTemplateViewSet),
    *resources(messages.StaffNotificationViewSet, one=READ_AND_DELETE),
    *resources(messages.NotificationChannelViewSet),
    *resources(PriceTableViewSet),
    *resources(workflows.WorkflowViewSet),
    *resources(workflows.ProcessStepViewSet),
    *resources(viewset_of(models.ModelLibrary)),
    *resources(orders.OrderViewSet),
    *resources(viewset_of(models.Product)),
    *resources(orders.LineItemViewSet, collection=LINE_ITEMS),
    *resources(orders.QuoteViewSet),
    *resources(runs.PieceViewSet, collection=PIECES, one=PIECE),
    *resources(runs.RunViewSet),
    *resources(attempts.AttemptViewSet, one=ATTEMPT),
    *callbacks.event_urls(orders.OrderViewSet),
    *callbacks.event_urls(orders.LineItemViewSet),
    *callbacks.event_urls(runs.PieceViewSet),
    *callbacks.event_urls(runs.RunViewSet),
    *callbacks.event_urls(attempts.AttemptViewSet),
    *callbacks.event_urls(PriceTableViewSet),
    *callbacks.event_urls(payments.OrderPaymentViewSet),
    *callbacks.event_urls(documents.DocumentViewSet),
    *callbacks.event_urls(ShipmentViewSet),
    *callbacks.event_urls(print_reports.PrintReportViewSet),
    *callbacks.event_urls(print_reports.PrintDecisionViewSet),
    path(
        "share-link/<uuid:uuid>/link/",
        share_links.ShareLinkViewSet.as_view({"post": "new_token"}),
        name="share-link-token",
    ),
    path(
        "document/<uuid:uuid>/retry/",
        documents.DocumentViewSet.as_view({"post": "retry"}),
        name="document-retry",
    ),
    path(
        "document/<uuid:uuid>/open-lines/",
        documents.DocumentViewSet.as_view({"get": "open_lines"}),
        name="document-open-lines",
    ),
    path(
        "bureau/<uuid:uuid>/order-summaries/",
        orders.OrderSummariesView.as_view(),
        name="order-summaries",
    ),
    path(
        "bureau/<uuid:uuid>/order-figures/",
        orders.OrderFiguresView.as_view(),
        name="order-figures",
    ),
    path(
        "bureau/<uuid:uuid>/customer-import/",
        prices.CustomerImportView.as_view(),
        name="customer-import",
    ),
    path(
        "bureau/<uuid:uuid>/customer-summaries/",
        orders.CustomerSummariesView.as_view(),
        name="customer-summaries",
    ),
    path(
        "order/<uuid:uuid>/open-lines/",
        documents.OpenLinesView.as_view(),
        name="order-open-lines",
    ),
    path(
        "card-account/<uuid:uuid>/test/",
        payments.CardAccountViewSet.as_view({"post": "test"}),
        name="card-account-test",
    ),
    path("invitation/accept/", invitations.AcceptView.as_view(), name="invitation-accept"),
    path(
        "invitation/<uuid:uuid>/link/",
        invitations.InvitationViewSet.as_view({"post": "new_link"}),
        name="invitation-link",
    ),
    path(
        "agent/<uuid:uuid>/code/", agents.AgentViewSet.as_view({"post": "renew"}), name="agent-code"
    ),
    path("agent/<uuid:uuid>/hosts/", connections.HostsView.as_view(), name="agent-hosts"),
    path("agent/<uuid:uuid>/search/", connections.SearchView.as_view(), name="agent-search"),
    path("agent/pair/", agents.PairView.as_view(), name="agent-pair"),
    path("agent/exchange/", agents.ExchangeView.as_view(), name="agent-exchange"),
    path("agent/permit/", agents.PermitView.as_view(), name="agent-permit"),
    path("agent/content/<str:name>/", agents.ContentView.as_view(), name="agent-content"),
    path("agent/camera/<uuid:uuid>/", cameras.SentPictureView.as_view(), name="agent-camera"),
    path("agent/spools/", agents.SpoolsView.as_view(), name="agent-spools"),
    path(
        "agent/take-engine-job/",
        engine_jobs.TakeEngineJobView.as_view(),
        name="agent-take-engine-job",
    ),
    path(
        "agent/engine-job/<uuid:uuid>/",
        engine_jobs.EngineJobView.as_view(),
        name="agent-engine-job",
    ),
    path("agent/bell/", agents.WakeUpView.as_view(), name="agent-bell"),
    path("piece/<uuid:uuid>/label/", labels.PieceLabelView.as_view(), name="piece-label"),
    path("order/<uuid:uuid>/traveller/", labels.OrderTravellerView.as_view(), name="traveller"),
    path(
        "order/<uuid:uuid>/print-reports/",
        print_reports.PrintReportFileView.as_view(),
        name="order-print-reports",
    ),
    path("run/<uuid:uuid>/labels/", labels.RunLabelsView.as_view(), name="run-labels"),
    path(
        "price-list/<uuid:uuid>/document/",
        prices.ListDocumentView.as_view(),
        name="price-list-document",
    ),
    path("bureau/<uuid:uuid>/logo/", brands.LogoView.as_view(), name="bureau-logo"),
    path(
        "message/<uuid:uuid>/send/",
        messages.MessageViewSet.as_view({"post": "send"}),
        name="message-send",
    ),
    path(
        "notification-channel/<uuid:uuid>/test/",
        messages.NotificationChannelViewSet.as_view({"post": "test"}),
        name="notification-channel-test",
    ),
    path(
        "bureau/<uuid:uuid>/message-texts/",
        messages.MessageTextsViewSet.as_view({"get": "list"}),
        name="message-texts",
    ),
    path(
        "bureau/<uuid:uuid>/message-preview/",
        messages.MessagePreviewView.as_view(),
        name="message-preview",
    ),
    path(
        "bureau/<uuid:uuid>/message-test/", messages.MessageTestView.as_view(), name="message-test"
    ),
    path("bureau/<uuid:uuid>/failure-rates/", FailureRatesView.as_view(), name="failure-rates"),
    path("bureau/<uuid:uuid>/figures/", FiguresView.as_view(), name="figures"),
    path("bureau/<uuid:uuid>/schedule/", ScheduleView.as_view(), name="schedule"),
    path("bureau/<uuid:uuid>/open-counts/", OpenCountsView.as_view(), name="open-counts"),
    path(
        "bureau/<uuid:uuid>/stock-figures/",
        lots.StockFiguresView.as_view(),
        name="stock-figures",
    ),
    path(
        "bureau/<uuid:uuid>/shortages/",
        ShortagesViewSet.as_view({"get": "list"}),
        name="shortages",
    ),
    path(
        "bureau/<uuid:uuid>/unscheduled/",
        UnscheduledViewSet.as_view({"get": "list"}),
        name="unscheduled",
    ),
    path("trace/", TraceView.as_view(), name="trace"),
    path("recall/", RecallViewSet.as_view({"get": "list"}), name="recall"),
    path("create-runs/", CreateRunsViewSet.as_view({"post": "create"}), name="create-runs"),
    path(
        "create-gcode-run/",
        gcode_runs.CreateGcodeRunViewSet.as_view({"post": "create"}),
        name="create-gcode-run",
    ),
    path(
        "bureau/<uuid:uuid>/gcode-match/", gcode_runs.GcodeMatchView.as_view(), name="gcode-match"
    ),
    path(
        "slicer-key/<uuid:uuid>/secret/",
        gcode_runs.SlicerKeyViewSet.as_view({"post": "new_secret"}),
        name="slicer-key-secret",
    ),
    path("run/<uuid:uuid>/unpacking/", UnpackingViewSet.as_view({"get": "list"}), name="unpacking"),
    path(
        "attempt/<uuid:uuid>/timelapse/",
        cameras.TimelapseView.as_view(),
        name="attempt-timelapse",
    ),
    path(
        "attempt/<uuid:uuid>/make-timelapse/",
        cameras.MakeTimelapseView.as_view(),
        name="make-timelapse",
    ),
    path(
        "attempt/<uuid:uuid>/objects/",
        attempts.AttemptObjectsViewSet.as_view({"get": "list"}),
        name="attempt-objects",
    ),
    path("attempt/<uuid:uuid>/readings/", attempts.ReadingsView.as_view(), name="attempt-readings"),
    path(
        "attempt/<uuid:uuid>/pictures/",
        cameras.AttemptPicturesViewSet.as_view({"get": "list"}),
        name="attempt-pictures",
    ),
    path("printer/<uuid:uuid>/camera/", cameras.CameraView.as_view(), name="printer-camera"),
    path(
        "printer/<uuid:uuid>/clear/",
        attempts.PrinterViewSet.as_view({"post": "clear"}),
        name="printer-clear",
    ),
    path(
        "printer/<uuid:uuid>/connection-test/",
        connections.ConnectionTestView.as_view(),
        name="printer-connection-test",
    ),
    path(
        "printer/<uuid:uuid>/test-connection/",
        connections.StartTestView.as_view(),
        name="printer-test-connection",
    ),
    path(
        "printer/<uuid:uuid>/maintenance/",
        maintenance.MaintenanceView.as_view(),
        name="printer-maintenance",
    ),
    path(
        "printer/<uuid:uuid>/watch/",
        attempts.PrinterViewSet.as_view({"post": "watch"}),
        name="printer-watch",
    ),
    path(
        "run/<uuid:uuid>/candidates/",
        attempts.CandidatesViewSet.as_view({"get": "list"}),
        name="candidates",
    ),
    path(
        "printer-type/<uuid:uuid>/queue/",
        attempts.QueueViewSet.as_view({"get": "list"}),
        name="printer-queue",
    ),
    path(
        "printer-type/<uuid:uuid>/actuals/", attempts.ActualsView.as_view(), name="printer-actuals"
    ),
    path("printer-type/<uuid:uuid>/capacity/", CapacityView.as_view(), name="capacity"),
    *document(
        "apps.erp.urls",
        "erp",
        about="Manufacturing: bureaus, orders, prices, runs, printers, materials.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
