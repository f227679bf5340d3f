"""Admin: print attempts and their reports."""

from functools import partial
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.erp.printing.models.attempts import Attempt
from apps.erp.printing.services import attempts
from core.auth_user import Person, operator_of
from core.web.admin_base import Watched, act_on_each
from machines.states import State


@admin.register(Attempt)
class AttemptAdmin(Watched):
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
    failed = Q(status__in=(State.FAILED.value, State.UNCLEAR.value))

    def why(self, row: Any) -> str:
        return row.notes or row.status

    @admin.action(description="It never began", permissions=["act"])
    def never(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, State.NEVER)

    @admin.action(description="It was printed to its end", permissions=["act"])
    def done(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, State.DONE)

    @admin.action(description="It was stopped", permissions=["act"])
    def stopped(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, State.STOPPED)

    @admin.action(description="The machine failed", permissions=["act"])
    def fail(self, request: HttpRequest, chosen: QuerySet[Attempt]) -> None:
        _say(request, chosen, State.FAILED)


def _say(request: HttpRequest, chosen: QuerySet[Attempt], word: State) -> None:
    act_on_each(request, chosen, partial(_move, operator_of(request), word), done=f"now {word}")


def _move(user: Person, word: State, row: Attempt) -> None:
    attempts.change(actor=user, row=row, status=word.value)
