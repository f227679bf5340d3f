"""Agent API: pairing, exchange, permits, files."""

import hmac
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from apps.erp.base.domain.events import emit_status
from apps.erp.base.services import resources
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.domain.dispatching import ESTIMATE_ONLY, RULES
from apps.erp.printing.models.agents import OFFLINE_AFTER, Agent, hashed
from apps.erp.printing.services import connections
from apps.erp.printing.services.attempts import follow
from apps.erp.printing.services.readings import record_readings
from apps.erp.production.domain import attempts
from apps.erp.production.domain.attempts import carry_out, plate_of
from apps.erp.production.domain.material_needs import content_of
from apps.erp.production.models.attempts import Attempt
from apps.erp.production.models.runs import Run
from apps.slicing import interface as slicing
from apps.slicing.interface import GcodeFile, ReportedEngine
from core import uris
from core.auth_user import Person
from core.errors import Conflict, NotFound, ServiceError
from core.web import throttling
from machines.controller import ENDED, PRINTING
from machines.drivers import MachineStatus
from machines.states import AttemptState, PlateState

CODE_LIVES = timedelta(minutes=10)
TRIES, TRIES_IN = 20, 600  # wrong codes from one address, in so many seconds
# What nobody takes for another: no 0 O 1 I L.
_LETTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
_DIGITS = 8


class UnknownCode(NotFound):
    """No agent waits with this code."""


class PermitRefused(Conflict):
    """The one permit was given, or is not to be given."""

    code = "permit-refused"


class AgentElsewhere(Conflict):
    """Another program works with this token at this time."""

    code = "agent-elsewhere"


class NotHandedOut(Conflict):
    """The file is given for what is planned alone."""

    code = "not-planned"


# ---------------------------------------------------------------- pairing


def create(*, actor: Person, **values: Any) -> Agent:
    """An agent, which is paired by a code."""
    agent: Agent = resources.create(actor=actor, kind=Agent, **values)
    return agent


def change(*, actor: Person, row: Agent, **values: Any) -> None:
    """Change what was given."""
    resources.change(actor=actor, row=row, **values)


@transaction.atomic
def delete(*, row: Agent) -> None:
    """Delete an agent that no printer names, and its slicers."""
    slicing.forget_engines(row.pk)
    resources.delete(row=row)


def renew(*, row: Agent) -> tuple[str, datetime]:
    """A new code, and until when: before that is used it is nobody's, whoever had its token."""
    code = "".join(secrets.choice(_LETTERS) for _ in range(_DIGITS))
    row.code_sha256, row.secret_sha256 = hashed(code), None
    row.code_expires = timezone.now() + CODE_LIVES
    row.save(update_fields=["code_sha256", "code_expires", "secret_sha256", "updated"])
    return code, row.code_expires


def revoke(*, row: Agent) -> None:
    """End its token, and its code."""
    row.code_sha256 = row.secret_sha256 = None
    row.save(update_fields=["code_sha256", "secret_sha256", "updated"])


def pair(*, code: str, address: str) -> tuple[Agent, str]:
    """The agent whose code this is, and its token; the code is over. Raises UnknownCode."""
    limits = {f"pairing_codes {throttling.client_prefix(address)}": TRIES}
    with throttling.limit_failures(limits, TRIES_IN, of=UnknownCode):
        wanted = hashed(code.strip().upper())
        secret = secrets.token_urlsafe(32)
        waiting = Agent.objects.filter(code_sha256=wanted, code_expires__gt=timezone.now())
        agent = waiting.first()
        values: dict[str, Any] = {
            "code_sha256": None,
            "secret_sha256": hashed(secret),
            "session": "",
        }
        if agent is None or not waiting.filter(pk=agent.pk).update(**values):
            raise UnknownCode(
                "No agent waits with this code: a code expires after ten minutes and works once. "
                "Create a new one.",
                field="code",
            )
    return agent, f"{agent.uuid}:{secret}"


def agent_of(token: str) -> Agent | None:
    """Whose token this is."""
    name, _, secret = token.partition(":")
    try:
        key = UUID(name)
    except ValueError:
        return None
    agent = Agent.objects.filter(pk=key).first()
    stored = bytes(agent.secret_sha256) if agent and agent.secret_sha256 else bytes(32)
    return agent if hmac.compare_digest(stored, hashed(secret)) else None


# ---------------------------------------------------------------- what it tells


def exchange(
    *,
    agent: Agent,
    version: str,
    session: str,
    machines: list[dict[str, Any]],
    reports: list[dict[str, Any]],
    engines: Sequence[ReportedEngine] | None = None,
    **more: Any,
) -> list[Attempt]:
    """Take what an agent tells; the open attempts of its machines.

    session  : where it runs; empty where it does not say
    machines : what each is at, with its `printer`; others than its own are passed over
    engines  : slicers that it runs; None where its program reports none
    more     : `hosts`, `tests` and `searches` as `connections.take_reports` takes them
    reports  : {name, status, boot, text, ago, progress, filament, skips}, in the order in which
               they were seen
    """
    _require_alone(agent, session)
    connections.take_reports(agent, **more)
    if engines is not None:
        shop = slicing.Shop(agent.pk, agent.bureau_id, agent.location_id, agent.name)
        slicing.record_engines(shop, engines)
    before, reached = agent.machines, _reached(agent)
    own = {printer.uri: printer for printer in Printer.objects.filter(agent=agent)}
    seen = {
        str(printer.pk): _kept(report, before.get(str(printer.pk), {}))
        for report in machines
        if (printer := own.get(uris.canonical(report["printer"])))
    }
    agent.version, agent.machines, agent.seen = version, seen, timezone.now()
    agent.session = session or agent.session
    if reports:
        agent.report_delay = max(report["ago"] for report in reports)
    agent.save(update_fields=["version", "session", "machines", "seen", "report_delay"])
    _occupy(own.values(), before, seen)
    for report in reports:
        if report["progress"] is None:
            report["progress"] = reached.get(report["name"])
        _take(agent, **report)
    record_readings(agent)
    attempts.show_all(Printer.objects.filter(agent=agent))
    found = Attempt.objects.filter(printer__agent=agent, status__in=Attempt.OPEN)
    return list(found.select_related("printer").order_by("pk"))


def _require_alone(agent: Agent, session: str) -> None:
    """Raise AgentElsewhere where the same agent was heard from another place of late.

    Nothing is printed twice for it: permits see to that. But two that look at the same machines
    would tell two stories.
    """
    if session and agent.session not in ("", session) and agent.online:
        wait = int(OFFLINE_AFTER.total_seconds())
        raise AgentElsewhere(
            f"{agent.name} works from another place: end it there, and come again after "
            f"{wait} s of its silence. For a second agent make one, with a code of its own."
        )


def _kept(report: dict[str, Any], before: Mapping[str, Any]) -> dict[str, Any]:
    """What is kept of a sight: `last_job` is what the machine showed when it was last in reach."""
    away = report["state"] == MachineStatus.OFFLINE
    last = before.get("last_job", before.get("job")) if away else report["job"]
    return {**{name: report[name] for name in report if name != "printer"}, "last_job": last}


def _occupy(
    printers: Iterable[Printer], before: Mapping[str, Any], seen: Mapping[str, Any]
) -> None:
    """Have the plate of each of these be occupied whose machine prints what is not ours.

    before, seen : what the machines were at and are at, by their printers. What has ended counts
    while it is news: a plate that was cleared since stays clear.
    """

    def is_news(key: str) -> bool:
        report, known = seen.get(key), before.get(key, {})
        if report is None or report["job"] is None:
            return False
        ended = report["state"] in ENDED
        was = known.get("last_job", known.get("job"))
        return report["state"] in PRINTING or (ended and report["job"] != was)

    news = [one for one in printers if one.plate == PlateState.CLEAR and is_news(str(one.pk))]
    if not news:
        return
    ours = Attempt.objects.filter(printer__in=news, status__in=Attempt.OPEN)
    names = set(ours.values_list("name", flat=True))
    foreign = [one.pk for one in news if seen[str(one.pk)]["job"] not in names]
    with transaction.atomic():
        for printer in attempts.locked_printers(foreign):
            printer.plate = PlateState.OCCUPIED.value
            attempts.show(printer)


def _reached(agent: Agent) -> dict[str, float]:
    """How far the prints were when it last reported them, by name."""
    return {
        report["job"]: report["progress"]
        for report in agent.machines.values()
        if report["state"] in PRINTING and report["job"] and report["progress"] is not None
    }


@transaction.atomic
def _take(
    agent: Agent,
    *,
    name: str,
    status: str,
    boot: str,
    text: str,
    ago: float,
    progress: float | None,
    filament: float | None,
    skips: list[dict[str, str]],
) -> None:
    """What follows from one report; nothing where it is not of this agent's, or says nothing new.

    ago      : s since it was seen, by the agent's clock alone
    progress : how far the print was; filament: mm of it that the machine counted
    skips    : what became of objects that were to be left out
    """
    found = _locked(agent, name)
    if found is None:
        return
    attempt, printer, run = found
    at = timezone.now() - timedelta(seconds=ago)
    if skips:
        skipped = {one["object"]: one["how"] for one in skips}
        attempts.left_out(attempt, skipped, by=agent.uri, at=at)
    reported = AttemptState(status)
    effects = RULES.reported(attempt.state, reported)
    if not effects.through:
        return
    at = max(at, attempt.printing_since or attempt.created)
    if reported is AttemptState.SENT:
        attempt.boot = boot
    if progress is not None:
        attempt.progress = progress
    if filament is not None:
        attempt.filament_mm = filament
    attempt.save(update_fields=["boot", "progress", "filament_mm", "updated"])
    carry_out(attempt, effects, printer=printer, at=at)
    _note(attempt, agent, f"{status}: {text}" if text else status, at)
    follow(attempt, run, effects, at=at)


def _locked(agent: Agent, name: str) -> tuple[Attempt, Printer, Run] | None:
    attempt = Attempt.objects.filter(name=name, printer__agent=agent).first()
    if attempt is None:
        return None
    (printer,) = attempts.locked_printers([attempt.printer_id])
    run = Run.objects.select_for_update(no_key=True, of=("self",)).get(pk=attempt.run_id)
    return Attempt.objects.get(pk=attempt.pk), printer, run


def _note(attempt: Attempt, agent: Agent, what: str, at: datetime) -> None:
    attempt.note(at=at, by=agent.uri, what=what)
    attempt.save(update_fields=["evidence", "updated"])


# ---------------------------------------------------------------- what it asks for


def permit(*, agent: Agent, name: str) -> Attempt:
    """Let an attempt begin: once. Raises PermitRefused every other time."""
    try:
        return _permit(agent, name)
    except PermitRefused:
        refused = F("permits_refused") + 1
        Agent.objects.filter(pk=agent.pk).update(permits_refused=refused)
        raise


@transaction.atomic
def _permit(agent: Agent, name: str) -> Attempt:
    found = _locked(agent, name)
    if found is None:
        raise _not_its(name)
    attempt, printer, _ = found
    effects = RULES.permitted(attempt.state, plate_of(printer))
    if not effects.through:
        raise PermitRefused(
            f"{name} is {attempt.status} and the plate {printer.plate}: do not start it, find "
            "out what became of it."
        )
    at = timezone.now()
    carry_out(attempt, effects, printer=printer, at=at)
    _note(attempt, agent, AttemptState.ARMED, at)
    emit_status(attempt)
    return attempt


def content(*, agent: Agent, name: str) -> GcodeFile:
    """The file of a planned attempt. Raises NotHandedOut for any other."""
    attempt = Attempt.objects.filter(name=name, printer__agent=agent).first()
    if attempt is None:
        raise _not_its(name)
    if not RULES.hands_out(attempt.state):
        raise NotHandedOut(f"{name} is {attempt.status}: its file is given while it is planned.")
    file = content_of(attempt.run)
    if file is None:
        raise ServiceError("The run has no gcode any more.", code="content-not-available")
    if file.estimate_only:
        raise Conflict(ESTIMATE_ONLY, code="estimate-only")
    return file


def _not_its(name: str) -> NotFound:
    return NotFound(f"{name} is no attempt on a machine of this agent's.")
