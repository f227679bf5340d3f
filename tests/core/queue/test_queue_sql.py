"""The queue's statements are the package's but for what is ours: a new version is noticed."""

import re

from dramatiq_postgres.broker import QUERIES

from core.queue import fair_queueing


def plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def test_ack_statement_differs_from_upstream_only_by_cast_and_claim_owner():
    ours = plain(fair_queueing.ACK).replace('"state"::text', '"state"')
    claim = "AND worker_id = %s AND consumed_at = coalesce(%s, consumed_at) "
    assert ours.replace(claim, "") == plain(QUERIES.ACK)


def test_claim_statement_differs_from_upstream_only_by_order_and_floor():
    ours = plain(fair_queueing.CLAIM)
    by_key = "q.message_id = ANY (ARRAY(SELECT message_id FROM next))"
    ours = ours.replace(f"WHERE {by_key}", "FROM next WHERE q.message_id = next.message_id")
    ours = ours.replace(" AND (turn, position) >= (%s::float8, %s::bigint)", "")
    ours = ours.replace("ORDER BY turn, position", "ORDER BY available_at, position")
    ours = ours.replace("q.message::text, q.turn, q.position, q.consumed_at", "q.message::text")

    assert ours == plain(QUERIES.CLAIM)


def test_new_flow_claim_differs_from_claim_only_by_filter_and_start_tag():
    ours = re.sub(
        r"newcomer = false, turn = least\(.*\), worker_id",
        "worker_id",
        plain(fair_queueing.CLAIM_NEWCOMER),
    )
    ours = ours.replace(
        "AND newcomer AND position > %s", "AND (turn, position) >= (%s::float8, %s::bigint)"
    )

    assert ours.replace("ORDER BY position", "ORDER BY turn, position") == plain(
        fair_queueing.CLAIM
    )


def test_enqueue_differs_from_upstream_only_by_flow_cost_and_start_tag():
    ours = re.sub(
        r", %\(account\)s, %\(cost\)s, .* END\) ON CONFLICT",
        ") ON CONFLICT",
        plain(fair_queueing.ENQUEUE),
    )
    ours = ours.replace(", account, cost, subject, newcomer, turn)", ")")
    ours = re.sub(r"cost = EXCLUDED.cost, .* END, worker_id", "worker_id", ours)

    assert re.sub(r"%\(\w+\)s", "%s", ours) == plain(QUERIES.ENQUEUE)
