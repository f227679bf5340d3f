"""Jobs on a database row: status guard, error handling, retries, progress (`@row_job`).

    @work("meshes", of=Gcode, begun_in=[Status.PROCESSING])
    def analyse_gcode(row): ...

An actor so made is sent a row's key. It begins with a row that is still in one of the states
`begun_in`, and does nothing where there is none: any message may arrive twice. Work on hostile
input ends in `fail` (`JobInputError`), and so does what failed on our side again and again.
"""

import functools
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

import dramatiq
from django.db import connection
from django.db.models.functions import Now

from core.errors import ErrorEntry, error_entry
from core.process.cancellation import Cancelled
from core.queue.broker import CANCEL
from core.queue.progress import publish_progress
from core.sandbox.sandbox import JobInputError
from core.state_machine import IllegalTransition, Stateful

PAUSE = 1.0  # seconds from one note of progress to the next

# Of a row, with the `errors` that say why.
Failing = Callable[[Any, list[ErrorEntry]], None]


def move_to_error(row: Any, errors: list[ErrorEntry]) -> None:
    """How most work fails."""
    row.move("error", errors=errors)


@dataclass(frozen=True)
class _Work:
    """What an actor does its work on, and how that fails."""

    of: type[Any]
    begun_in: tuple[str, ...]
    fail: Failing
    where: Mapping[str, Any] = field(default_factory=dict)
    related: tuple[str, ...] = ()

    def row(self, key: Any) -> Any:
        """The row with this key where the work on it is still to be done."""
        rows = self.of._base_manager.select_related(*self.related or [None])
        return rows.filter(pk=key, status__in=self.begun_in, **self.where).first()

    def do(self, function: Callable[..., None], key: Any, *more: Any) -> None:
        row = self.row(key)
        if row is None:
            return
        with suppress(IllegalTransition, Cancelled):  # somebody else was first
            try:
                function(row, *more)
            except JobInputError as error:
                self.fail(row, error.entries())


_works: dict[str, _Work] = {}


def row_job(
    queue: str,
    *,
    of: type[Stateful],
    begun_in: Iterable[str],
    fail: Failing = move_to_error,
    where: Mapping[str, Any] | None = None,
    related: tuple[str, ...] = (),
    actor_name: str = "",
) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that makes an actor of a function of a row; see the module.

    begun_in : the statuses of a row in which there is work to do
    fail     : how the row ends where it fails; by default a move to `error`
    where    : further conditions of the row
    related  : rows that are read with it
    actor_name : its name in the queue, where the function was renamed: stored names stay
    """

    def make(function: Callable[..., None]) -> Any:
        declared = _Work(of, tuple(begun_in), fail, where or {}, related)
        name = actor_name or function.__name__
        _works[name] = declared

        @functools.wraps(function)
        def begin(key: str, *more: Any) -> None:
            declared.do(function, key, *more)

        actor: Any = dramatiq.actor(actor_name=name, queue_name=queue, on_retry_exhausted="give_up")
        return actor(begin)

    return make


def enqueue(
    actor: dramatiq.Actor, row: Any, *more: Any, owner: UUID | None = None, **options: Any
) -> None:
    """Queue a row's job on the share of the row's owner, not of the sender.

    owner   : key of the user whose work it is, where the row names another
    options : of the message, such as its `cost` and its `delay`
    """
    owner = owner or row.owner_id
    actor.send_with_options(args=(str(row.pk), *more), owner=owner and str(owner), **options)


def cancel_jobs(*actors: Any, on: Iterable[Any]) -> None:
    """Remove jobs of these actors from the queue, in the caller's transaction.

    Waiting jobs are not started; running ones are stopped as soon as the transaction commits, and
    their actor ends with Cancelled. No event is emitted.

    actors : actors or their names
    on     : their arguments: rows, or keys or URIs
    """
    subjects = [str(getattr(item, "pk", item)) for item in on]
    names = [getattr(actor, "actor_name", actor) for actor in actors]
    with connection.cursor() as cursor:
        cursor.execute(CANCEL, (subjects, names))


def fail_permanently(actor: str, key: str, reason: Mapping[str, Any]) -> None:
    """Set a row whose work failed repeatedly by the platform's fault to error."""
    declared = _works[actor]
    row = declared.row(key)
    if row is not None:
        with suppress(IllegalTransition):
            declared.fail(row, [_given_up(reason)])


def _given_up(reason: Mapping[str, Any]) -> ErrorEntry:
    if reason.get("reason") == "worker-died":
        return error_entry(
            "worker-died",
            f"The work on this ended its worker process {reason['starts']} times and was given "
            "up: the input may be damaged.",
        )
    return error_entry(
        "internal-error",
        "The work on this failed several times on our side: try again later, or tell the operator.",
    )


def progress_reporter(
    row: Any, beside: Callable[..., Mapping[str, Any]] | None = None
) -> Callable[..., None]:
    """Return a function that saves and emits the progress, 0..1, at most once a second.

    Progress never decreases, also where the work restarts.

    beside : maps further reports of the work to columns

    Raises Cancelled where the row's status has changed, or it was deleted.
    """
    last = 0.0
    wanted = {"pk": row.pk, "status": row.status}
    if hasattr(row, "deleted"):
        wanted["deleted"] = None

    def note(done: float, *words: Any, **facts: Any) -> None:
        nonlocal last
        if time.monotonic() - last < PAUSE:
            return
        last, row.progress = time.monotonic(), max(row.progress or 0.0, round(done, 3))
        columns = beside(*words, **facts) if beside else {}
        rows = type(row)._base_manager.filter(**wanted)
        if not rows.update(progress=row.progress, updated=Now(), **columns):
            raise Cancelled
        publish_progress(row)

    return note
