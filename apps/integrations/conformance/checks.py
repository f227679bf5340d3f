"""Checks of the conformance test."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from apps.integrations.conformance.fake_platform import FakePlatform, Order, Report

BIG = 100 * 1024**2  # bytes that a provider is sent, or refuses
OTHER_SECRET = "whsec_" + "A" * 43 + "="


@dataclass(frozen=True)
class Outcome:
    """Result of a check: the requirement, whether it is met, and the observation."""

    check: str
    passed: bool
    seen: str


@dataclass(frozen=True)
class Terms:
    """Input of the checks.

    right, wrong : parameters that are accepted and rejected (None: unknown)
    seconds      : how long to wait for a report
    """

    right: Mapping[str, object]
    wrong: Mapping[str, object] | None
    seconds: float


def run(
    stand: FakePlatform,
    *,
    right: Mapping[str, object],
    wrong: Mapping[str, object] | None,
    seconds: float,
) -> Iterator[Outcome]:
    """Yield the result of each check as it ends."""
    terms = Terms(right, wrong, seconds)
    for check in CHECKS:
        yield check(stand, terms)


def valid_job(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right)
    stand.send(order)
    over = _accepted(order) and stand.wait(order, terms.seconds)
    complete = over and order.finals[0]["status"] == "complete"
    passed = bool(complete) and not order.faults
    return Outcome("a valid job is accepted, done, and reported complete", passed, _seen(order))


def bad_signature(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right)
    stand.send(order, secret=OTHER_SECRET)
    stand.wait(order, 1)
    passed = order.answer in (400, 401, 403) and not order.fetched and not order.reports
    return Outcome("a bad signature is refused, and nothing is fetched", passed, _seen(order))


def incomplete_job(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right)
    del order.job["upload"], order.job["callback"]
    stand.send(order)
    stand.wait(order, 1)
    passed = order.answer is not None and 400 <= order.answer < 500
    return Outcome("a job without callback and upload is refused", passed, _seen(order))


def wrong_parameters(stand: FakePlatform, terms: Terms) -> Outcome:
    title = "wrong parameters are refused, or reported as an error"
    if terms.wrong is None:
        return Outcome(title, passed=True, seen="not tried: give some with --invalid-parameters")
    order = stand.order(terms.wrong)
    stand.send(order)
    refused = order.answer is not None and 400 <= order.answer < 500
    if not refused:
        stand.wait(order, terms.seconds)
    failed = bool(order.finals) and order.finals[0]["status"] == "error"
    return Outcome(title, (refused or failed) and not order.faults, _seen(order))


def duplicates(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right)
    answers = [stand.send(order) for _ in range(3)]
    stand.wait(order, terms.seconds)
    passed = all(answer is not None and 200 <= answer < 300 for answer in answers)
    once = len(order.finals) == 1 and not order.faults
    seen = f"answered {', '.join(map(str, answers))}; {_seen(order)}"
    return Outcome("the same job three times is accepted, and is one job", passed and once, seen)


def unreachable_content(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right, reachable=False)
    stand.send(order)
    if _accepted(order):
        stand.wait(order, min(terms.seconds, 5))
    passed = not any(report["status"] == "complete" for report in order.finals)
    passed = passed and not order.uploaded and not order.faults
    return Outcome("content that is not there makes no result", passed, _seen(order))


def big_file(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right, large=BIG)
    stand.send(order)
    over = _accepted(order) and stand.wait(order, terms.seconds)
    refused = order.answer is not None and 400 <= order.answer < 500
    title = f"a file of {BIG // 1024**2} MiB is done, or refused with a reason"
    return Outcome(title, (bool(over) or refused) and not order.faults, _seen(order))


def still_there(stand: FakePlatform, terms: Terms) -> Outcome:
    order = stand.order(terms.right)
    stand.send(order)
    over = _accepted(order) and stand.wait(order, terms.seconds)
    return Outcome("after all this it still works", bool(over), _seen(order))


CHECKS: tuple[Callable[[FakePlatform, Terms], Outcome], ...] = (
    valid_job,
    bad_signature,
    incomplete_job,
    wrong_parameters,
    duplicates,
    unreachable_content,
    big_file,
    still_there,
)


def _accepted(order: Order) -> bool:
    return order.answer is not None and 200 <= order.answer < 300


def _seen(order: Order) -> str:
    words = [f"answer {order.answer}" if order.answer else "no answer in time"]
    words += [f"reported {_in_words(report)}" for report in order.finals[:1]]
    if not order.finals:
        words.append("no final report")
    words += order.faults[:3]
    return "; ".join(words)


def _in_words(report: Report) -> str:
    outputs = report.get("outputs") or {}
    return f"error {outputs.get('code')}" if report["status"] == "error" else str(report["status"])
