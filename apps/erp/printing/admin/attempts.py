"""Admin: print attempts and their reports."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.erp.printing.models.cameras import Timelapse
from apps.erp.printing.services import attempts
from apps.erp.production.models.attempts import Attempt
from core.auth_user import Person, admin_user
from core.web.admin_base import ReadOnlyPage, apply_to_each
from machines.states import AttemptState


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyPage):
    """Attempts: a run on a printer, how far it is, and who said so."""

    list_display = [
        "name",
        "status",
        "run",
        "printer",
        "detached",
        "began",
        "ended",
        "cleared",
        "bureau",
    ]
    list_filter = ["status", "detached", "created", "ended"]
    search_fields = ["uuid", "name", "run__name", "run__uuid", "printer__name", "bureau__name"]
    ordering = ["-uuid"]
    list_select_related = ["run", "printer", "bureau"]
    actions = ["never", "done", "stopped", "fail"]
    failed = Q(status__in=(AttemptState.FAILED.value, AttemptState.UNCLEAR.value))

    def why(self, row: Any) -> str:
        return row.notes or row.status

    @admin.action(description="Mark as never started", permissions=["act"])
    def never(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, AttemptState.NEVER)

    @admin.action(description="Mark as finished", permissions=["act"])
    def done(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, AttemptState.DONE)

    @admin.action(description="Mark as stopped", permissions=["act"])
    def stopped(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, AttemptState.STOPPED)

    @admin.action(description="Mark as failed", permissions=["act"])
    def fail(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, AttemptState.FAILED)


def _say(request: HttpRequest, chosen: QuerySet[Attempt], word: AttemptState) -> None:
    apply_to_each(request, chosen, partial(_move, admin_user(request), word), done=f"now {word}")


def _move(user: Person, word: AttemptState, row: Attempt) -> None:
    attempts.change(actor=user, row=row, status=word.value)


@admin.register(Timelapse)
class TimelapseAdmin(ReadOnlyPage):
    """Timelapses: videos of attempts."""

    list_display = ["key", "attempt", "status", "media_type", "created"]
    list_filter = ["status", "created"]
    search_fields = ["key", "attempt__name"]
    list_select_related = ["attempt"]
    ordering = ["-created", "key"]
