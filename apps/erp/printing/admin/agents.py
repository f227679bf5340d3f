"""Admin: printer agents and their last contact."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.erp.printing.models.agents import Agent
from apps.erp.printing.services import agents
from core.web.admin_base import ReadOnlyPage, apply_to_each


@admin.register(Agent)
class AgentAdmin(ReadOnlyPage):
    """Agents: the programs that drive machines in the shops."""

    list_display = [
        "name",
        "location",
        "standing",
        "version",
        "seen",
        "permits_refused",
        "report_delay",
        "bureau",
    ]
    list_filter = ["seen", "created"]
    search_fields = ["uuid", "name", "location__name", "bureau__name"]
    ordering = ["-uuid"]
    list_select_related = ["location", "bureau"]
    actions = ["revoke"]

    @admin.action(description="Revoke token", permissions=["act"])
    def revoke(self, request: HttpRequest, chosen: QuerySet[Agent]) -> None:
        apply_to_each(request, chosen, _revoke, done="without a token")


def _revoke(row: Agent) -> None:
    agents.revoke(row=row)
