"""Start-time fair queueing per account (Goyal, Vin and Cheng, 1996), new flows first (RFC 8290).

    turn = max(turn of the account's last job here, turn of the job claimed last) + cost / weight

The smallest turn is claimed first: the jobs of an account that sends 2,000 follow one another, and
a later account starts at the queue's present turn. There is no counter and no clock that could
drift: both are read from the rows. Two concurrent sends may get the same turn, which is harmless.

With thousands of accounts waiting, a new one would still wait for a job of each. So a job of an
account without other jobs in the queue is a new flow, and a worker whose last job was none takes
the oldest of these first, as fq_codel (RFC 8290) does. At least half of the claims go by turns,
however many new flows there are.

The statements are the package's except where noted; tests/core/queue/test_queue_sql.py compares
them with the package's text.
"""

from dataclasses import dataclass
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db import connection
from dramatiq.middleware import CurrentMessage

from core.auth_user import Person
from core.request_context import request_context

# The account of what nobody asked for: housekeeping, and work of the platform's services.
SYSTEM_ACCOUNT = UUID(int=0)
# The queues with two classes: beyond so many seconds a job goes to the queue of that name with
# `_slow` behind it, whose workers never hold up a quick one's.
QUICK = {"meshes": 3.0, "slices": 60.0, "renders": 1.2, "packing": 10.0}
# A quick job is let run for so long, also on a busy machine; then it starts again as a slow one.
LATE = {"meshes": 30.0, "slices": 180.0, "renders": 60.0, "packing": 60.0}
# And where it takes so many seconds of the processor, which do not grow with what else runs.
LATE_CPU = {"renders": 10.0}
# Or so many times its cost: a cost that is wrong by more holds a quick slot no longer than this.
LATE_FACTOR = 8.0
# Seconds that each quick job has, however low its cost: engines take a second or two to start.
MIN_LATE = 10.0
# Seconds that a job may cost to run in a reserved slot (`core.queue.consumer`).
RESERVED_COST = 5.0
# Seconds beyond its cost from which on a job is charged for them.
MIN_CHARGE = 1.0


def slow_queue(queue: str) -> str:
    """The queue beside this one for what takes long."""
    return f"{queue}_slow"


def has_classes(queue: str) -> bool:
    """Whether a queue is a quick one, or the slow one beside it."""
    return queue.removesuffix("_slow") in QUICK


def time_limit(queue: str, cost: float) -> float | None:
    """Seconds after which a job of this cost is moved out of a quick queue; None in others."""
    late = LATE.get(queue)
    return None if late is None else min(late, max(MIN_LATE, LATE_FACTOR * cost))


# With an account, a cost and a turn. A message that comes again (after a pause, or when its
# worker died) keeps the turn that it had in this queue.
ENQUEUE = """\
WITH enqueued AS (
    INSERT INTO "dramatiq"."queue"
    (queue_name, message_id, "state", message, available_at,
        account, cost, subject, newcomer, turn)
    VALUES (%(queue)s, %(id)s, 'queued', %(message)s,
            NOW() + make_interval(secs => %(delay)s / 1000.0),
            %(account)s, %(cost)s, %(subject)s,
            %(delay)s = 0 AND NOT EXISTS (
                SELECT 1 FROM "dramatiq"."queue"
                    WHERE queue_name = %(queue)s AND account = %(account)s
                        AND "state" IN ('queued', 'consumed')),
            CASE WHEN %(delay)s > 0 THEN 0 ELSE %(step)s + greatest(
                (SELECT turn FROM "dramatiq"."queue"
                    WHERE queue_name = %(queue)s AND account = %(account)s
                        AND "state" IN ('queued', 'consumed')
                    ORDER BY turn DESC LIMIT 1),
                coalesce(
                    (SELECT turn FROM "dramatiq"."queue"
                        WHERE queue_name = %(queue)s AND "state" = 'consumed'
                        ORDER BY turn DESC LIMIT 1),
                    (SELECT turn FROM "dramatiq"."queue"
                        WHERE queue_name = %(queue)s AND "state" = 'queued'
                        ORDER BY turn, position LIMIT 1),
                    0)
            ) END)
    ON CONFLICT (message_id)
        DO UPDATE SET
            "state" = 'queued',
            message = EXCLUDED.message,
            queue_name = EXCLUDED.queue_name,
            available_at = EXCLUDED.available_at,
            cost = EXCLUDED.cost,
            newcomer = false,
            turn = CASE WHEN queue.turn > 0
                    AND split_part(queue.queue_name, '.', 1)
                        = split_part(EXCLUDED.queue_name, '.', 1)
                THEN queue.turn ELSE EXCLUDED.turn END,
            worker_id = NULL,
            consumed_at = NULL,
            mtime = NOW()
    RETURNING queue_name
)
SELECT pg_notify('dramatiq.' || queue_name || '.enqueue', '')
FROM enqueued;
"""

# In the order of turns, from a floor on: while a backup holds its snapshot, what has ended stays
# in the index, and a claim from the beginning walks over all of it. An array, for no join with what
# old statistics call a table of one row reads all of its keys.
CLAIM = """\
WITH next AS (
    SELECT message_id
    FROM "dramatiq"."queue"
    WHERE queue_name = %s
        AND "state" = 'queued'
        AND available_at <= NOW()
        AND (turn, position) >= (%s::float8, %s::bigint)
    ORDER BY turn, position
    LIMIT %s
    FOR UPDATE SKIP LOCKED
)
UPDATE "dramatiq"."queue" AS q
    SET "state" = 'consumed',
        worker_id = %s,
        consumed_at = NOW(),
        mtime = NOW()
WHERE q.message_id = ANY (ARRAY(SELECT message_id FROM next))
RETURNING q.message::text, q.turn, q.position, q.consumed_at;
"""

# The oldest job of a newcomer. It comes before its turn, and what is at work is the queue's clock:
# so it gets the turn where the queue stands, else each newcomer would put the clock forward.
CLAIM_NEWCOMER = CLAIM.replace(
    "AND (turn, position) >= (%s::float8, %s::bigint)\n    ORDER BY turn, position",
    "AND newcomer\n        AND position > %s\n    ORDER BY position",
).replace(
    """    SET "state" = 'consumed',""",
    """    SET "state" = 'consumed',
        newcomer = false,
        turn = least(q.turn, coalesce(
            (SELECT turn FROM "dramatiq"."queue"
                WHERE queue_name = %s AND "state" = 'consumed'
                ORDER BY turn DESC LIMIT 1),
            (SELECT turn FROM "dramatiq"."queue"
                WHERE queue_name = %s AND "state" = 'queued' AND NOT newcomer
                    AND (turn, position) >= (%s::float8, %s::bigint)
                ORDER BY turn, position LIMIT 1))),""",
)

# The same where an account may hold so many slots of a queue at a time.
_MAY = """        AND account <> ALL (ARRAY(
            SELECT account FROM "dramatiq"."queue"
            WHERE queue_name = %s AND "state" = 'consumed'
            GROUP BY account HAVING count(*) >= %s))
    ORDER BY {order}
    LIMIT"""
CLAIM_SHARED, CLAIM_NEWCOMER_SHARED = (
    statement.replace(f"    ORDER BY {order}\n    LIMIT", _MAY.format(order=order))
    for statement, order in ((CLAIM, "turn, position"), (CLAIM_NEWCOMER, "position"))
)
# The same for a reserved slot: cheap jobs alone, and of accounts that have no job at work here.
CLAIM_RESERVED, CLAIM_NEWCOMER_RESERVED = (
    statement.replace("AND account <>", f"AND cost <= {RESERVED_COST}\n        AND account <>")
    for statement in (CLAIM_SHARED, CLAIM_NEWCOMER_SHARED)
)
# Claims of a queue come one after another then: two at once would not count each other.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtext('claim of ' || %s))"

# What a job took beyond its cost moves the account's waiting jobs back. Rows that are locked are
# being claimed or deleted.
CHARGE = """\
UPDATE "dramatiq"."queue" SET turn = turn + %s
WHERE message_id = ANY (ARRAY(
    SELECT message_id FROM "dramatiq"."queue"
    WHERE queue_name = %s AND account = %s AND "state" = 'queued' AND turn > 0
    FOR UPDATE SKIP LOCKED))
"""

# By its key alone: the planner thinks the index of what is at work tiny, and under a held
# snapshot it is not. `state::text` keeps it away from there. And only as long as it is this claim
# that holds it: a job that failed while the database was away is sent again, and may be at work
# again, before its first end is heard of.
ACK = """\
WITH acked AS (
    DELETE FROM "dramatiq"."queue"
    WHERE message_id = %s
        AND queue_name = %s
        AND "state"::text = 'consumed'
        AND worker_id = %s
        AND consumed_at = coalesce(%s, consumed_at)
    RETURNING message
)
SELECT
    pg_notify(%s,
        CASE WHEN octet_length(message::text) >= 8000
        THEN jsonb_build_object('message_id', %s::text)::text
        ELSE message::text
        END
    )
FROM acked;
"""


# Of what waits: how many jobs are done before it, and how many seconds these take the slots that
# are at work now. Where somebody waits, all of them are.
_PLACES = """
    SELECT mine.subject, ahead.jobs, (ahead.seconds + mine.cost)
        / greatest(1, (SELECT count(*) FROM dramatiq.queue
            WHERE queue_name = mine.queue_name AND state = 'consumed'))
    FROM dramatiq.queue AS mine, LATERAL (
        SELECT count(*) AS jobs, coalesce(sum(cost), 0) AS seconds FROM (
            SELECT cost FROM dramatiq.queue
            WHERE queue_name = mine.queue_name AND state = 'queued'
                AND (turn, position) < (mine.turn, mine.position)
            LIMIT %s
        ) AS jobs
    ) AS ahead
    WHERE mine.subject = ANY(%s) AND mine.state = 'queued' AND mine.turn > 0
        AND mine.queue_name <> 'default'
    ORDER BY ahead.jobs
"""
MAX_POSITIONS = 1000  # jobs, of a queue whose positions are shown


def queue_positions(subjects: list[str]) -> dict[str, dict[str, int]]:
    """Those of these that wait, with their places: see `core.api.queue_position`."""
    with connection.cursor() as cursor:
        cursor.execute(_PLACES, (MAX_POSITIONS, subjects))
        return {
            subject: {"before": jobs, "seconds": int(float(f"{seconds:.2g}"))}
            for subject, jobs, seconds in reversed(cursor.fetchall())
        }


@dataclass(frozen=True)
class Flow:
    """A flow of jobs: the account that they are attributed to, and its weight."""

    account: UUID = SYSTEM_ACCOUNT
    weight: float = 1.0


def flow_of(user: Person | None) -> Flow:
    """Return a user's flow; services' work belongs to the platform."""
    if user is None or user.pk is None or user.is_platform_service:
        return Flow()
    return Flow(user.turns_account, user.turn_weight)


def flow_of_owner(owner: UUID) -> Flow:
    """Return the flow of the user with this key."""
    caller = request_context().caller
    if caller is not None and caller.pk == owner:
        return flow_of(caller)
    return flow_of(get_user_model()._base_manager.filter(pk=owner).first())


def current_flow() -> Flow:
    """Return the flow of jobs sent now: that of the current job, or the caller's."""
    message = CurrentMessage.get_current_message()
    if message is not None:
        account = message.options.get("account")
        return Flow(UUID(account), message.options.get("weight", 1.0)) if account else Flow()
    return flow_of(request_context().caller)
