"""Admin pages of the queue (messages, workers) and of recorded server errors."""

from functools import cache
from uuid import UUID

from django.contrib import admin
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from dramatiq_postgres.django.admin import AvailabilityFilter, JobAdmin
from dramatiq_postgres.django.models import Job, Result, Worker

from core.models import ServerError
from core.queue.broker import slot_id
from core.web.admin_base import ReadOnlyPage, count_of
from ops.programs import platform_programs

for kind in (Job, Result, Worker):  # no actor keeps results
    admin.site.unregister(kind)


@admin.register(Job)
class QueuePage(ReadOnlyPage):
    """Messages: what waits, what is at work, what waits for its time, what was given up."""

    list_display = ["message_id", "actor", "queue_name", "now", "available_at", "worker"]
    list_filter = ["state", "queue_name", AvailabilityFilter]
    search_fields = ["=message_id", "queue_name"]
    ordering = ["-mtime"]
    fields = ["message_id", "actor", "queue_name", "now", "message", "traceback"]
    fields += ["available_at", "mtime", "consumed_at", "worker"]
    readonly_fields = ["actor", "now", "traceback", "worker"]
    actions = ["send_again", "discard"]
    failed = Q(state=Job.REJECTED)
    failed_at = "mtime"
    again = "send_again"

    def why(self, row: Job) -> str:
        return (row.traceback or "").strip().rpartition("\n")[2]

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup == "worker_id" or super().lookup_allowed(lookup, value, request)

    @admin.display(ordering="message__actor_name")
    def actor(self, row: Job) -> str:
        return row.actor_name or "-"

    @admin.display(description="state", ordering="state")
    def now(self, row: Job) -> str:
        """What is queued for a later time waits for nobody."""
        words = {Job.CONSUMED: "running", Job.REJECTED: "failed permanently"}
        later = row.available_at > timezone.now()
        return words.get(row.state, "scheduled" if later else "queued")

    @admin.display
    def worker(self, row: Job) -> str:
        if row.worker_id is None:
            return "-"
        page = reverse("admin:dramatiq_postgres_worker_change", args=[row.worker_id])
        return format_html('<a href="{}">{}</a>', page, row.worker_id)

    @admin.display
    def traceback(self, row: Job) -> str:
        return format_html("<pre>{}</pre>", row.traceback) if row.traceback else "-"

    @admin.action(description="Retry now", permissions=["act"])
    def send_again(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        with transaction.atomic():
            JobAdmin.action_retry(self, request, chosen)

    @admin.action(description="Discard", permissions=["act"])
    def discard(self, request: HttpRequest, chosen: QuerySet[Job]) -> None:
        JobAdmin.action_discard(self, request, chosen)


@admin.register(Worker)
class WorkerPage(ReadOnlyPage):
    """Processes that do what waits, or did so a moment ago."""

    list_display = ["worker_id", "slot", "heartbeat_at", "at_work"]
    search_fields = ["=worker_id"]
    ordering = ["-heartbeat_at"]
    readonly_fields = ["slot", "at_work"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Worker]:
        return super().get_queryset(request).annotate(n_jobs=count_of(Job, "worker_id"))

    @admin.display(description="worker slot")
    def slot(self, row: Worker) -> str:
        return _slots().get(row.worker_id, "-")

    @admin.display(description="running jobs")
    def at_work(self, row: Worker) -> str:
        page = reverse("admin:dramatiq_postgres_job_changelist")
        return format_html('<a href="{}?worker_id={}">{}</a>', page, row.pk, row.n_jobs)


@cache
def _slots() -> dict[UUID, str]:
    """Identity of a worker -> the slot of this machine that it fills."""
    names = [program.name for program in platform_programs(["workers"])]
    return {slot_id(name): name for name in names}


@admin.register(ServerError)
class ServerErrorPage(ReadOnlyPage):
    """Requests that failed on our side, by the Request-ID of their answers."""

    list_display = ["number", "exception", "method", "path", "created"]
    list_filter = ["method", "created"]
    search_fields = ["number", "exception", "path", "=account"]
    ordering = ["-created"]
    fields = ["number", "method", "path", "asked_by", "created", "exception", "whole_trace"]
    readonly_fields = ["asked_by", "whole_trace"]
    failed = Q()
    failed_at = "created"

    def why(self, row: ServerError) -> str:
        return row.exception

    @admin.display(description="account")
    def asked_by(self, row: ServerError) -> str:
        if row.account is None:
            return "-"
        address = reverse("admin:users_user_change", args=[row.account])
        return format_html('<a href="{}">{}</a>', address, row.account)

    @admin.display(description="trace")
    def whole_trace(self, row: ServerError) -> str:
        return format_html("<pre>{}</pre>", row.trace)
