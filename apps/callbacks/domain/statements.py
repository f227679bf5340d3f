"""SQL of the sender: claim, record, expire."""

# An origin with so many time-outs in a row is slow; and how many requests each kind of origin may
# have in flight. Where nobody can be reached, a single one asks.
CAPS = {"slow": 8, "cap": 32, "cap_slow": 8, "cap_probe": 1}

# Per origin, the longest due lanes that have no request in flight, each with its next delivery:
# the first that nobody has seen yet, so that first attempts are in order, else the oldest.
# OFFSET 0 keeps the planner from reading all that waits anywhere, for each lane anew.
CLAIM = """
WITH host AS (
    SELECT o.id, o.probe_at IS NOT NULL OR o.slow >= %(slow)s AS suspect,
        CASE WHEN o.probe_at IS NOT NULL THEN %(cap_probe)s::int
             WHEN o.slow >= %(slow)s THEN %(cap_slow)s::int ELSE %(cap)s::int END
        - coalesce(busy.count, 0) AS room
    FROM callbacks_origin o
    LEFT JOIN unnest(%(origins)s::bigint[], %(counts)s::int[]) AS busy (origin, count)
        ON busy.origin = o.id
    WHERE o.probe_at IS NULL OR o.probe_at <= now()
)
SELECT d.uuid, d.lane, d.origin_id AS origin, d.seq, e.body, d.tries,
    s.url, s.method, s.owner_id AS owner, s.bureau, s.location, host.suspect, now() AS started,
    ARRAY(SELECT salt FROM callbacks_webhooksecret
        WHERE owner_id = s.owner_id AND (expires IS NULL OR expires > now())
        ORDER BY uuid DESC) AS salts
FROM host
CROSS JOIN LATERAL (
    SELECT DISTINCT lane FROM (
        SELECT lane FROM callbacks_delivery
        WHERE origin_id = host.id AND state = 'pending' AND next_at <= now()
            AND lane <> ALL (%(lanes)s::uuid[])
        ORDER BY next_at LIMIT greatest(host.room, 0)
    ) AS due
) AS its
CROSS JOIN LATERAL (
    SELECT * FROM (
        SELECT *, min(seq) FILTER (WHERE reached = 0) OVER () AS unseen
        FROM (SELECT * FROM callbacks_delivery WHERE lane = its.lane OFFSET 0) AS lane
        WHERE state = 'pending'
    ) AS it
    WHERE next_at <= now() AND (reached > 0 OR seq = unseen)
    ORDER BY reached > 0, seq LIMIT 1
) AS d
JOIN callbacks_subscription AS s ON s.uuid = d.subscription_id
JOIN callbacks_event AS e ON e.uuid = d.event_id
ORDER BY host.suspect, d.next_at
LIMIT %(room)s
"""

# Who may not read a bureau any more hears nothing of it.
CANCEL = """
UPDATE callbacks_delivery SET state = 'cancelled' WHERE uuid IN (
    SELECT uuid FROM callbacks_delivery
    WHERE uuid = ANY (%(uuid)s) AND state = 'pending' ORDER BY uuid FOR UPDATE
)
"""

# What RECORD needs of the results, as columns; `reached` = somebody was there. One text of JSON is
# written once for all statements; arrays of each column are written anew for each.
_RESULTS = """
json_to_recordset(%(results)s::json) AS r (uuid uuid, origin bigint, started timestamptz,
    outcome text, error text, delivered bool, reached bool, ms int, head text)
"""

# In the order of the key, as everyone locks them: no deadlock.
LOCK = f"""
SELECT FROM callbacks_delivery
WHERE uuid = ANY (ARRAY(SELECT uuid FROM {_RESULTS})) ORDER BY uuid FOR UPDATE
"""  # noqa: S608  constants only

# The grid of a delivery begins at its first attempt; being late by less than a step moves nothing.
RECORD = f"""
UPDATE callbacks_delivery AS d SET
    tries = d.tries + 1,
    reached = d.reached + r.reached::int,
    first_at = coalesce(d.first_at, r.started),
    since = CASE WHEN d.tries = 0 THEN r.started ELSE d.since END,
    last_at = r.started,
    last_outcome = r.outcome,
    last_error = r.error,
    next_at = CASE WHEN d.tries > 0 AND r.started < d.next_at + %(interval)s
        THEN d.next_at ELSE r.started END + %(interval)s,
    delivered_at = CASE WHEN r.delivered THEN now() END,
    state = CASE WHEN r.delivered THEN 'delivered'
        WHEN d.state = 'pending' AND d.since <= now() - %(lifetime)s
            AND d.since_tick < (SELECT max(ticks) FROM callbacks_senderclock) - %(steps)s + 2
        THEN 'expired' ELSE d.state END
FROM {_RESULTS} WHERE d.uuid = r.uuid
"""  # noqa: S608  constants only

RECORD_OUTCOME = f"""
INSERT INTO callbacks_outcome AS o
    (delivery_id, outcome, count, first_at, last_at, ms, response_head)
SELECT r.uuid, r.outcome, 1, r.started, r.started, r.ms, r.head
FROM {_RESULTS} JOIN callbacks_delivery USING (uuid)
ON CONFLICT (delivery_id, outcome) DO UPDATE SET count = o.count + 1,
    last_at = excluded.last_at, ms = excluded.ms, response_head = excluded.response_head
"""  # noqa: S608  constants only

# One step apart, one request asks whether somebody is there again.
RECORD_MISS = f"""
UPDATE callbacks_origin AS o SET
    probe_at = m.started + %(interval)s,
    unreachable_since = coalesce(o.unreachable_since, m.started)
FROM (
    SELECT origin, max(started) AS started FROM {_RESULTS} WHERE NOT reached GROUP BY origin
) AS m
WHERE o.id = m.origin AND (o.probe_at IS NULL OR o.probe_at <= m.started)
"""  # noqa: S608  constants only

# Any answer, be it a refusal, shows that the origin is back: what nobody saw goes out at once.
RECORD_ANSWER = f"""
WITH back AS (
    UPDATE callbacks_origin AS o SET
        probe_at = NULL, unreachable_since = NULL,
        slow = CASE WHEN a.answers > 0 THEN 0 ELSE o.slow + a.timeouts END
    FROM (
        SELECT origin, count(*) FILTER (WHERE outcome = 'timeout') AS timeouts,
            count(*) FILTER (WHERE outcome <> 'timeout') AS answers
        FROM {_RESULTS} WHERE reached GROUP BY origin
    ) AS a
    WHERE o.id = a.origin AND (o.probe_at IS NOT NULL OR o.slow > 0 OR a.timeouts > 0)
    RETURNING o.id
)
UPDATE callbacks_delivery SET next_at = now()
FROM back
WHERE origin_id = back.id AND state = 'pending' AND reached = 0 AND next_at > now()
"""  # noqa: S608  constants only

TICK = """
INSERT INTO callbacks_senderclock (id, ticks) VALUES (1, 1)
ON CONFLICT (id) DO UPDATE SET ticks = callbacks_senderclock.ticks + 1
"""

# For those that wait behind an unreachable host; what is requested expires in RECORD.
EXPIRE = """
UPDATE callbacks_delivery SET state = 'expired' WHERE uuid IN (
    SELECT uuid FROM callbacks_delivery
    WHERE state = 'pending' AND since <= now() - %(lifetime)s - 2 * %(interval)s
        AND since_tick <= (SELECT max(ticks) FROM callbacks_senderclock) - %(steps)s
    LIMIT 1000 FOR UPDATE SKIP LOCKED
)
"""
