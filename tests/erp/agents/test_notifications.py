"""Notifications of printers that need a person."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.erp.actors import mark_silent_agents_offline
from apps.erp.base.domain.notifications import Work, people_for
from apps.erp.models import Agent, Printer
from apps.users.models import User
from tests.erp.agents.conftest import report
from tests.erp.conftest import key_of


@pytest.fixture
def unread(client_of, person):
    """`unread()`: the kind, the data and the count of each unread notification, latest first."""

    def read(account: User = person) -> list[tuple]:
        query = {"filter[unread]": "true", "sort": "-updated"}
        rows = client_of("users", account).get("/notifications/", query).json()["resources"]
        return [(row["kind"], row["data"].get("reason"), row["count"]) for row in rows]

    return read


@pytest.fixture
def printing(agent, attempt, machine, see) -> dict:
    see(machine, "idle", report(attempt, "sent"))
    agent.post("/agent/permit/", {"name": attempt["name"]})
    see(machine, "printing", report(attempt, "printing"), job=attempt["name"], progress=0.1)
    return attempt


def test_print_that_pauses_by_itself_and_ends_is_notified_until_the_bed_is_cleared(
    erp, machine, printing, see, unread, run
):
    job = {"job": printing["name"], "progress": 0.5}
    assert unread() == []

    see(machine, "paused", report(printing, "paused"), **job)
    see(machine, "printing", report(printing, "printing"), **job)
    see(machine, "paused", report(printing, "paused"), **job)
    assert unread() == [("printer-attention", "paused", 2)]
    see(machine, "idle", report(printing, "done"))
    assert unread() == [("bed-to-clear", None, 1), ("printer-attention", "paused", 2)]

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    assert unread() == []


def test_pause_that_a_person_asked_for_is_not_notified(erp, machine, printing, see, unread):
    assert erp.put(printing["uri"], {"status": "paused"}).status_code == 204

    see(machine, "paused", report(printing, "paused"), job=printing["name"], progress=0.5)

    assert unread() == []


def test_failed_print_and_its_machine_are_notified_once(machine, printing, see, unread):
    see(machine, "failed", report(printing, "failed"))

    assert unread() == [("printer-attention", "failed", 1)]


def test_printer_that_goes_offline_is_notified_in_one_transaction_of_few_statements(
    machine, paired, unread
):
    silent = timezone.now() - timedelta(seconds=61)
    Agent.objects.filter(pk=key_of(paired[0])).update(seen=silent)

    with CaptureQueriesContext(connection) as queries:
        mark_silent_agents_offline.fn()

    added = [q["sql"] for q in queries if "users_notification" in q["sql"] or "UNION" in q["sql"]]
    assert len(added) == 2
    assert unread() == [("printer-attention", "offline", 1)]


def test_notifications_go_to_members_by_their_role(make, bureau, location, person, member):
    sales, production, viewer = (
        User.objects.create_user(name, f"{name}@example.com", "x", name=name)
        for name in ("sales", "production", "viewer")
    )
    for account in (sales, production):
        make("membership-bureau", bureau=bureau["uri"], user=account.uri)
    make("permission-bureau", bureau=bureau["uri"], user=sales.uri, right="price.all")
    here = {"location": location["uri"]}
    make("permission-location", **here, user=production.uri, right="printer.all")
    make("membership-location", **here, user=viewer.uri)

    def names(work: Work) -> set[str]:
        found = people_for(work, key_of(bureau))
        return set(User.objects.filter(pk__in=found).values_list("username", flat=True))

    assert names(Work.SALES) == {person.username, member.username, "sales"}
    assert names(Work.PRODUCTION) == {person.username, member.username, "production"}


def test_new_printer_of_an_agent_is_not_notified_as_offline(machine, unread):
    assert Printer.objects.get().status == "idle"
    assert unread() == []
