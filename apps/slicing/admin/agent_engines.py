"""Admin: slicers in shops and their jobs."""

from django.contrib import admin
from django.db.models import Q

from apps.slicing.models import AgentEngine, EngineJob
from core.web.admin_base import ReadOnlyPage


@admin.register(AgentEngine)
class AgentEngineAdmin(ReadOnlyPage):
    list_display = ["uuid", "program", "version", "agent_name", "isolation", "is_online", "seen"]
    list_filter = ["program", "isolation"]
    search_fields = ["uuid", "agent_name", "bureau", "agent"]
    ordering = ["-uuid"]

    @admin.display(description="online", boolean=True)
    def is_online(self, row: AgentEngine) -> bool:
        return row.is_online


@admin.register(EngineJob)
class EngineJobAdmin(ReadOnlyPage):
    list_display = ["uuid", "status", "engine", "slice", "starts", "reason", "created", "heard"]
    list_filter = ["status", "reason", "engine__program", "created"]
    search_fields = ["uuid", "slice__uuid", "engine__agent_name"]
    ordering = ["-uuid"]
    list_select_related = ["engine", "slice"]
    failed = Q(status=EngineJob.Status.FAILED)

    def why(self, row: EngineJob) -> str:
        return row.get_reason_display()
