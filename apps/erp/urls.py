"""{erp_url}"""

from django.urls import path

from apps.erp import models
from apps.erp.views import machines, people, workflow
from apps.erp.views.rows import resources, viewset_of
from apps.erp.views.trace import RecallViewSet, TraceView
from core.api.schema import openapi

urlpatterns = [
    *resources(people.BureauViewSet),
    *resources(people.LocationViewSet),
    *resources(people.MembershipBureauViewSet),
    *resources(viewset_of(models.MembershipLocation)),
    *resources(people.PermissionBureauViewSet),
    *resources(people.PermissionLocationViewSet),
    *resources(viewset_of(models.Feature)),
    *resources(viewset_of(models.Manufacturer)),
    *resources(viewset_of(models.Material)),
    *resources(viewset_of(models.Stock)),
    *resources(viewset_of(models.Shipping)),
    *resources(viewset_of(models.ServiceProvider)),
    *resources(viewset_of(models.ThirdParty)),
    *resources(viewset_of(models.CurrencyConversion)),
    *resources(machines.PrinterTypeViewSet),
    *resources(viewset_of(models.Printer)),
    *resources(viewset_of(models.PostProcessorType)),
    *resources(viewset_of(models.PostProcessor)),
    *resources(workflow.WorkflowViewSet),
    *resources(workflow.ProcessStepViewSet),
    *resources(viewset_of(models.ModelLibrary)),
    *resources(viewset_of(models.Order)),
    *resources(viewset_of(models.Product)),
    *resources(viewset_of(models.LineItem)),
    *resources(viewset_of(models.Piece)),
    *resources(viewset_of(models.Run)),
    path("trace/", TraceView.as_view(), name="trace"),
    path("recall/", RecallViewSet.as_view({"get": "list"}), name="recall"),
    path("openapi.json", openapi("apps.erp.urls", "erp"), name="openapi-erp"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
