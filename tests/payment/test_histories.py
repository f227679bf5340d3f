"""Random histories against a model of the books; crowds at a ceiling; a close that is killed."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random

import pytest
from django.db import connection, transaction
from django.utils import timezone

from apps.payment import actors
from apps.payment import interface as payment
from apps.payment.models import Charge, Consent, Invoice, InvoiceEvent, PaymentMethod, Price
from apps.payment.services.charges import correct
from apps.payment.services.invoices import NotPayable, mark_paid
from apps.users.models import User
from tests.conftest import A_SLICE


@pytest.fixture
def clock(monkeypatch):
    """A list of one moment, which is now."""
    moment = [datetime(2026, 10, 30, tzinfo=UTC)]
    monkeypatch.setattr(timezone, "now", lambda: moment[0])
    return moment


def test_random_histories_charge_each_success_once_with_correct_sums(
    client_of, person, stranger, operator, clock
):
    books = Books()
    for seed in range(6):
        play(Random(seed), books, [person, stranger], operator, clock, seed)
        check(books, client_of, [person, stranger])


@dataclass
class Books:
    """The test's own account: source -> (user, currency, amount), and what was given back."""

    owed: dict[str, tuple[User, str, Decimal]] = field(default_factory=dict)
    given_back: Counter = field(default_factory=Counter)


def play(
    random: Random, books: Books, users: list[User], operator: User, clock: list, seed: int
) -> None:
    """Sixty random steps of prices, consents, work, failures, corrections, months and payments."""
    owed, given_back = books.owed, books.given_back
    running: list[tuple[User, str, Price]] = []
    for step in range(60):
        user = random.choice(users)
        act = random.choice(
            ["price", "consent", "method", *["start"] * 6, *["succeed"] * 4, "fail", "again",
             "correct", "month", "settle", "settle", "pay"]
        )  # fmt: skip
        source = f"http://slicing.platform.test/slice/{seed}-{step}/"
        if act == "price":
            Price.objects.filter(deleted=None).update(deleted=timezone.now())
            if random.random() < 0.8:
                amount = Decimal(random.randint(1, 40_000)) / 10_000
                currency = random.choice(["EUR", "USD", "JPY"])
                Price.objects.create(**A_SLICE, amount=amount, currency=currency)
        elif act == "consent":
            Consent.objects.create(owner=user, **A_SLICE, consented=random.random() < 0.8)
        elif act == "method" and not PaymentMethod.objects.usable(user):
            PaymentMethod.objects.create(owner=user, type="manual", status="active")
        elif act == "start":
            price = Price.objects.of(**A_SLICE).first()
            may = price and _may_be_charged(user)
            try:
                with transaction.atomic():
                    payment.authorise(owner=user, **A_SLICE, source=source)
            except payment.PaymentRequired:
                assert price and not may
            else:
                assert may or not price
                if price:
                    running.append((user, source, price))
        elif act == "succeed" and running:
            worker, source, price = running.pop(random.randrange(len(running)))
            payment.record(source=source)
            digits = Decimal(1) if price.currency == "JPY" else Decimal("0.01")
            owed[source] = (worker, price.currency, price.amount.quantize(digits))
        elif act == "fail" and running:
            payment.release(source=running.pop()[1])
        elif act == "again" and owed:
            known = random.choice(sorted(owed))
            payment.record(source=known)
            payment.release(source=known)
        elif act == "correct" and owed:
            known = random.choice(sorted(owed))
            charge = Charge.objects.get(source=known, corrects=None, status="recorded")
            left = owed[known][2] - given_back[known]
            if left > 0:
                correct(actor=operator, charge=charge, amount=left)
                given_back[known] += left
        elif act == "month":
            clock[0] += timedelta(days=random.randint(1, 40))
        elif act == "settle":
            actors.settle_invoices.fn()
        elif act == "pay" and Invoice.objects.exists():
            try:
                mark_paid(actor=operator, invoice=random.choice(list(Invoice.objects.all())))
            except NotPayable:
                pass


def _may_be_charged(user: User) -> bool:
    said = Consent.objects.filter(owner=user).order_by("-uuid").first()
    return bool(said and said.consented and PaymentMethod.objects.usable(user))


def check(books: Books, client_of, users: list[User]) -> None:
    """Every invoice over HTTP, against the test's own account."""
    owed = books.owed
    seen: Counter = Counter()
    totals: dict[tuple[str, str], Decimal] = {}
    for user in users:
        for invoice in (
            client_of("payment", user).get("/invoice/?page[limit]=1000").json()["resources"]
        ):
            amounts = [Decimal(str(row["amount"])) for row in invoice["charges"]]
            assert Decimal(str(invoice["cost"]["amount"])) == sum(amounts)
            assert invoice["user_uri"] == user.uri
            assert (invoice["payment_uuid"] is not None) == (invoice["status"] == "paid")
            for row, amount in zip(invoice["charges"], amounts, strict=True):
                assert row["currency"] == invoice["cost"]["currency"] == owed[row["source"]][1]
                assert owed[row["source"]][0] == user
                if amount > 0:
                    seen[row["source"]] += 1
                key = (user.uri, row["currency"])
                totals[key] = totals.get(key, Decimal(0)) + amount

    expected: dict[tuple[str, str], Decimal] = {}
    for source, (user, currency, amount) in owed.items():
        key = (user.uri, currency)
        expected[key] = expected.get(key, Decimal(0)) + amount - books.given_back[source]
    charged = {source for source, (_, _, amount) in owed.items() if amount > 0}
    assert {source: 1 for source in charged} == dict(seen)
    assert {key: total for key, total in totals.items() if total} == {
        key: total for key, total in expected.items() if total
    }


@pytest.mark.django_db(transaction=True)
def test_concurrent_charges_never_exceed_a_ceiling(person):
    Price.objects.create(**A_SLICE, amount=Decimal("1.25"), currency="EUR")
    PaymentMethod.objects.create(owner=person, type="manual", status="active")
    Consent.objects.create(
        owner=person, **A_SLICE, consented=True, per_month=Decimal(10), currency="EUR"
    )
    gate = threading.Barrier(50)

    def order(number: int) -> bool:
        gate.wait()
        try:
            with transaction.atomic():
                payment.authorise(owner=person, **A_SLICE, source=f"http://a/slice/{number}/")
        except payment.PaymentRequired:
            return False
        finally:
            connection.close()
        return True

    with ThreadPoolExecutor(50) as pool:
        granted = sum(pool.map(order, range(50)))

    assert granted == 8
    assert sum(Charge.objects.values_list("amount", flat=True)) == 10


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.django_db(transaction=True)
def test_interrupted_month_close_gives_the_same_invoices_when_repeated(
    person, stranger, operator, clock
):
    Price.objects.create(**A_SLICE, amount=2, currency="EUR")
    people = [person, stranger, operator]
    for user in people:
        PaymentMethod.objects.create(owner=user, type="manual", status="active")
        Consent.objects.create(owner=user, **A_SLICE, consented=True)
        for number in range(2):
            source = f"http://a/{user.username}-{number}/"
            payment.authorise(owner=user, **A_SLICE, source=source)
            payment.record(source=source)
    clock[0] = datetime(2026, 11, 2, tzinfo=UTC)
    before = {row.owner_id: row.cost for row in Invoice.objects.with_charges()}
    kills = 0

    def die_at(limit: int):
        left = [limit]

        def watch(execute, sql, parameters, many, context):
            left[0] -= 1
            if left[0] < 0:
                raise Killed
            return execute(sql, parameters, many, context)

        return watch

    for limit in range(1, 60):
        try:
            with connection.execute_wrapper(die_at(limit)):
                actors.settle_invoices.fn()
            break
        except Killed:
            kills += 1

    after = Invoice.objects.with_charges()
    assert kills > 5
    assert {row.owner_id: row.cost for row in after} == before
    assert all(row.issued == clock[0] for row in after)
    assert Counter(InvoiceEvent.objects.values_list("action", flat=True)) == {"issued": 3}
