"""Agents: paired by a code, told what to do, and opened nothing else by their token."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp import interface
from apps.erp.actors import mark_silent_agents_offline
from apps.erp.models import Agent, Attempt, Printer, Run
from apps.slicing.models import Gcode
from ops.management.commands import doctor
from tests.erp.agents.conftest import code_of, report
from tests.erp.conftest import key_of


def test_agent_pairing_code_works_once_and_a_new_code_revokes_the_token(erp, client_of, paired):
    made, agent = paired
    assert len(made["code"]) == 8 and made["status"] == "never-seen"

    again = client_of("erp").post("/agent/pair/", {"code": made["code"]})
    assert (again.status_code, code_of(again)) == (404, "resource-not-found")
    assert agent.post("/agent/exchange/", {}).status_code == 200
    assert erp.get(made["uri"]).json()["status"] == "online"

    renewed = erp.post(f"{made['uri']}code/").json()
    assert agent.post("/agent/exchange/", {}).status_code == 401
    assert client_of("erp").post("/agent/pair/", {"code": renewed["code"]}).status_code == 201


def test_agent_pairing_code_expires_after_ten_minutes(erp, client_of, make, location):
    made = make("agent", location=location["uri"], name="Shop")
    code = erp.post(f"{made['uri']}code/").json()["code"]
    late = timezone.now() - timedelta(seconds=1)
    Agent.objects.filter(pk=key_of(made)).update(code_expires=late)

    answer = client_of("erp").post("/agent/pair/", {"code": code})

    assert answer.status_code == 404


def test_agent_pairing_attempts_are_rate_limited(db, client_of):
    client = client_of("erp")

    answers = [client.post("/agent/pair/", {"code": f"AAAAAA{n:02}"}) for n in range(21)]

    assert [answer.status_code for answer in answers] == [404] * 20 + [429]


def test_member_without_right_cannot_create_agents(client_of, location, member):
    answer = client_of("erp", member).post("/agent/", {"location": location["uri"], "name": "x"})

    assert answer.status_code == 403


def test_agent_token_is_rejected_outside_the_agent_endpoints(
    agent, client_of, attempt, machine, run
):
    token = agent.defaults["HTTP_AUTHORIZATION"]
    for host, path in [
        ("erp", "/printer/"),
        ("erp", "/agent/"),
        ("erp", "/attempt/"),
        ("erp", run["uri"]),
        ("users", "/users/"),
        ("users", "/api_tokens/"),
        ("callbacks", "/events/"),
        ("slicing", "/gcode/"),
    ]:
        assert client_of(host, HTTP_AUTHORIZATION=token).get(path).status_code == 401, path
    assert agent.put(machine["uri"], {"maintenance": True}).status_code == 401
    assert agent.post(f"{machine['uri']}clear/", {}).status_code == 401


def test_agent_of_another_bureau_can_neither_read_nor_change_attempts(
    make, pair, machine, attempt, see, erp
):
    other = make("bureau", name="Elsewhere")
    _, spy = pair(make("location", bureau=other["uri"], name="Far"))

    heard = see(machine, "failed", report(attempt, "sent"), client=spy)

    assert heard["attempts"] == []
    assert erp.get(attempt["uri"]).json()["status"] == "planned"
    assert erp.get(machine["uri"]).json()["machine"]["state"] == "idle"
    for answer in (
        spy.get(f"/agent/content/{attempt['name']}/"),
        spy.post("/agent/permit/", {"name": attempt["name"]}),
    ):
        assert (answer.status_code, code_of(answer)) == (404, "resource-not-found")


def test_agent_prints_a_run_from_planned_to_done(agent, erp, machine, run, attempt, see):
    told = see(machine)
    order = {
        "name": attempt["name"],
        "printer": machine["uri"],
        "status": "planned",
        "boot": None,
        "wanted": None,
        "skip": [],
        "frame_interval": None,
    }
    assert told == {
        "attempts": [order],
        "next_seconds": 2,
        "tests": [],
        "search": None,
        **{"watched": [], "engine_jobs": 0},
    }
    file = agent.get(f"/agent/content/{attempt['name']}/").json()
    assert (file["sha256"], file["size"]) == ("ab" * 32, 1234)

    told = see(machine, "idle", report(attempt, "sent", boot="b7"))
    assert [(one["status"], one["boot"]) for one in told["attempts"]] == [("sent", "b7")]
    late = agent.get(f"/agent/content/{attempt['name']}/")
    assert (late.status_code, code_of(late)) == (409, "not-planned")

    assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 200
    second = agent.post("/agent/permit/", {"name": attempt["name"]})
    assert (second.status_code, code_of(second)) == (409, "permit-refused")
    assert erp.get(machine["uri"]).json()["plate"] == "occupied"

    see(machine, "printing", report(attempt, "printing"), job=attempt["name"], progress=0.3)
    shown = erp.get(machine["uri"]).json()
    assert (shown["status"], shown["machine"]["progress"]) == ("printing", 0.3)
    assert erp.get(run["uri"]).json()["status"] == "in-progress"

    see(machine, "done", report(attempt, "done", ago=5.0), job=attempt["name"])
    see(machine, "done", report(attempt, "failed"))
    ended = erp.get(attempt["uri"]).json()
    assert ended["status"] == "done"
    assert [said["what"] for said in ended["evidence"]] == ["sent", "armed", "printing", "done"]
    assert erp.post(f"{machine['uri']}clear/", {}).json()["status"] == "idle"
    assert erp.get(run["uri"]).json()["status"] == "complete"


def test_wanted_status_is_cleared_when_the_agent_reports_it(erp, agent, machine, attempt, see):
    see(machine, "idle", report(attempt, "sent"))
    agent.post("/agent/permit/", {"name": attempt["name"]})
    see(machine, "printing", report(attempt, "printing"))

    assert erp.put(attempt["uri"], {"status": "paused"}).status_code == 204
    shown = erp.get(attempt["uri"]).json()
    assert (shown["status"], shown["wanted"]) == ("printing", "paused")

    (order,) = see(machine, "paused", report(attempt, "paused"))["attempts"]
    assert (order["status"], order["wanted"]) == ("paused", None)
    erp.put(attempt["uri"], {"status": "stopped"})
    assert see(machine, "stopping")["attempts"][0]["wanted"] == "stopped"
    see(machine, "stopped", report(attempt, "stopped"))
    shown = erp.get(attempt["uri"]).json()
    assert (shown["status"], shown["wanted"]) == ("stopped", None)


@pytest.fixture
def printing(agent, attempt, machine, see) -> dict:
    """The attempt, of which a third is printed; its gcode has 10 cm3 and 4 m of filament."""
    figures = {"build_volume_cc": 10.0, "filament_mm": 4000.0, "build_time_seconds": 60.0}
    Gcode.objects.update(figures=figures)
    see(machine, "idle", report(attempt, "sent"))
    agent.post("/agent/permit/", {"name": attempt["name"]})
    job = {"job": attempt["name"], "progress": 0.3}
    see(machine, "printing", report(attempt, "printing", progress=0.0), **job)
    return attempt


def test_stopped_attempt_uses_material_in_proportion_to_reported_progress(
    erp, machine, printing, see
):
    assert erp.get(printing["uri"]).json()["progress"] == 0.3

    # It begins to count anew with the end.
    see(machine, "idle", report(printing, "stopped", progress=0.5), progress=0.0)

    told = erp.get(printing["uri"]).json()
    assert (told["progress"], told["used"]["volume"]) == (0.5, 5)
    assert told["used"] == {"volume": 5, "mass": None, "source": "gcode"}


def test_stopped_attempt_without_reported_progress_uses_the_last_known_one(
    erp, machine, printing, see
):
    see(machine, "idle", report(printing, "stopped"), progress=0.0)

    assert erp.get(printing["uri"]).json()["used"]["volume"] == 3


def test_filament_counted_by_the_machine_determines_usage(erp, machine, printing, see):
    see(machine, "done", report(printing, "done", progress=1.0, filament=4100.0))

    used = erp.get(printing["uri"]).json()["used"]
    assert used == {"volume": 10.25, "mass": None, "source": "machine"}


@pytest.mark.parametrize("value", [-0.1, 1.1, "much"])
def test_invalid_progress_in_a_report_is_rejected(agent, printing, value):
    body = {"reports": [report(printing, "done", progress=value)]}

    assert agent.post("/agent/exchange/", body).status_code == 400


def test_permitted_attempt_cannot_become_never_unless_machine_is_offline(
    erp, agent, machine, attempt, see
):
    see(machine, "idle", report(attempt, "sent"))
    agent.post("/agent/permit/", {"name": attempt["name"]})

    early = erp.put(attempt["uri"], {"status": "never"})
    assert (early.status_code, code_of(early)) == (409, "attempt-open")

    see(machine, "offline")
    assert erp.put(attempt["uri"], {"status": "never"}).status_code == 204


def test_printer_is_offline_while_its_agent_is_silent(erp, machine, run, paired, see):
    def found(status: str) -> list[str]:
        rows = erp.get(f"/printer/?filter[status]={status}").json()["resources"]
        return [row["uri"] for row in rows]

    mark_silent_agents_offline.fn()
    assert (found("idle"), found("offline")) == ([machine["uri"]], [])
    silent = timezone.now() - timedelta(seconds=61)
    Agent.objects.filter(pk=key_of(paired[0])).update(seen=silent)

    mark_silent_agents_offline.fn()

    assert (found("idle"), found("offline")) == ([], [machine["uri"]])
    (candidate,) = erp.get(f"{run['uri']}candidates/").json()["resources"]
    assert [reason["code"] for reason in candidate["reasons"]] == ["agent-offline"]
    see(machine)
    assert (found("idle"), found("offline")) == ([machine["uri"]], [])


def test_printer_status_stays_error_when_its_agent_goes_silent(erp, machine, printing, see, paired):
    see(machine, "failed", report(printing, "failed"))
    silent = timezone.now() - timedelta(seconds=61)
    Agent.objects.filter(pk=key_of(paired[0])).update(seen=silent)

    mark_silent_agents_offline.fn()

    assert erp.get(machine["uri"]).json()["status"] == "error"


def test_agent_figures_and_doctor_report_agents(agent, machine, attempt, paired, see):
    see(machine, "idle", report(attempt, "sent", ago=7.5))
    for _ in range(3):
        agent.post("/agent/permit/", {"name": attempt["name"]})

    (figures,) = interface.agent_figures()

    assert figures == (paired[0]["uri"], "Shop", True, 2, 7.5, 1)
    assert doctor.agents() == "1 with printers, each heard in the last minute"
    silent = timezone.now() - timedelta(seconds=61)
    Agent.objects.update(seen=silent)
    with pytest.raises(doctor.Broken, match="Shop .*Nothing new is printed there"):
        doctor.agents()


def test_candidate_lists_busy_machine_and_missing_gcode_as_reasons(erp, machine, run, see):
    see(machine, "attention", text="Filament?")
    Run.objects.update(gcode_uri=None)

    (found,) = erp.get(f"{run['uri']}candidates/").json()["resources"]

    assert {reason["code"] for reason in found["reasons"]} == {"machine-not-idle", "no-gcode"}
    assert Printer.objects.get(pk=key_of(machine)).status == "error"


def test_printer_rejects_an_agent_of_another_location(erp, make, bureau, printer, pair):
    made, _ = pair(make("location", bureau=bureau["uri"], name="Hall 2"))

    answer = erp.put(printer["uri"], {"driver": "octoprint", "agent": made["uri"]})

    assert (answer.status_code, code_of(answer)) == (409, "other-location")


def test_agent_with_printers_cannot_be_deleted(erp, machine, paired):
    assert erp.delete(paired[0]["uri"]).status_code == 409
    erp.put(machine["uri"], {"driver": None, "agent": None})
    assert erp.delete(paired[0]["uri"]).status_code == 204


def test_agent_wakeup_stream_is_scoped_to_the_location_and_empty(agent, location, person):
    answer = agent.get("/agent/bell/")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer["Events-Of"] == key_of(location)
    assert answer["Heard-By"] == str(person.pk)  # of the bureau's owner, whose streams are counted


def test_report_of_unknown_or_unsent_attempt_is_ignored(agent, machine, attempt):
    body = {"reports": [{"name": "else.gcode", "status": "done"}, report(attempt, "done")]}

    assert agent.post("/agent/exchange/", body).status_code == 200
    assert Attempt.objects.get().status == "planned"


def test_exchange_query_count_is_independent_of_machine_count(
    make, erp, location, printer_type, paired, agent, django_assert_max_num_queries
):
    fields = {"location": location["uri"], "printer_type": printer_type["uri"]}
    driven = {"driver": "octoprint", "agent": paired[0]["uri"]}
    printers = [make("printer", name=str(n), **fields, **driven) for n in range(20)]
    machines = [{"printer": one["uri"], "state": "idle", "progress": 0.5} for one in printers]
    assert agent.post("/agent/exchange/", {"machines": machines}).status_code == 200

    with django_assert_max_num_queries(8):
        assert agent.post("/agent/exchange/", {"machines": machines}).status_code == 200

    assert {row["status"] for row in erp.get("/printer/").json()["resources"]} == {"idle"}


def test_print_started_at_the_machine_occupies_the_bed_until_cleared(
    erp, agent, machine, attempt, see
):
    def plate() -> str:
        return erp.get(machine["uri"]).json()["plate"]

    see(machine, "printing", report(attempt, "sent"), job="theirs.gcode")
    assert plate() == "occupied"
    see(machine, "done", job="theirs.gcode")
    assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 409

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    see(machine, "done", job="theirs.gcode")  # as before: it is cleared by now
    assert plate() == "clear"
    see(machine, "offline")  # its agent was begun anew, or its host is away for a moment
    see(machine, "done", job="theirs.gcode")
    assert plate() == "clear"
    see(machine, "done", job="another.gcode")  # which nobody saw printing
    assert plate() == "occupied"

    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    see(machine, "idle")
    assert agent.post("/agent/permit/", {"name": attempt["name"]}).status_code == 200


def test_print_seen_by_its_agent_is_not_ended_by_hand(erp, machine, run, printing, see):
    for seen in ("printing", "paused", "busy", "idle", "done"):
        see(machine, seen, job=printing["name"], progress=0.001)
        for word in ("done", "failed"):
            early = erp.put(printing["uri"], {"status": word})
            assert (early.status_code, code_of(early)) == (409, "print-in-progress"), seen
            assert printing["name"] in early.json()["errors"][0]["title"]

    assert erp.get(printing["uri"]).json()["status"] == "printing"
    assert erp.get(run["uri"]).json()["status"] == "in-progress"


@pytest.mark.parametrize("machine_state", ["offline", "attention"])
def test_outcome_by_hand_of_an_unseen_print_is_recorded_as_override(
    erp, machine, printing, see, machine_state
):
    see(machine, machine_state)

    assert erp.put(printing["uri"], {"status": "done"}).status_code == 204

    ended = erp.get(printing["uri"]).json()
    assert ended["status"] == "done"
    assert ended["evidence"][-1]["what"] == f"done: machine {machine_state}"


def test_bed_is_not_cleared_while_the_machine_prints(erp, machine, run, printing, see):
    see(machine, "offline")
    assert erp.put(printing["uri"], {"status": "done"}).status_code == 204
    see(machine, "printing", job=printing["name"], progress=0.4)

    early = erp.post(f"{machine['uri']}clear/", {})

    assert (early.status_code, code_of(early)) == (409, "print-in-progress")
    assert erp.get(run["uri"]).json()["status"] == "in-progress"
    see(machine, "done", job=printing["name"])
    assert erp.post(f"{machine['uri']}clear/", {}).status_code == 200
    assert erp.get(run["uri"]).json()["status"] == "complete"


def test_run_is_not_ended_by_hand_while_its_machine_prints(erp, machine, run, printing, see):
    see(machine, "printing", job=printing["name"])

    early = erp.put(run["uri"], {"status": "complete"})

    assert (early.status_code, code_of(early)) == (409, "attempt-open")
    see(machine, "offline")
    assert erp.put(run["uri"], {"status": "complete"}).status_code == 204


def test_machine_of_a_silent_agent_is_offline_with_its_last_report(
    erp, machine, printing, paired, see
):
    see(machine, "paused", job=printing["name"], progress=0.31)
    silent = timezone.now() - timedelta(seconds=150)
    Agent.objects.filter(pk=key_of(paired[0])).update(seen=silent)
    mark_silent_agents_offline.fn()

    shown = erp.get(machine["uri"]).json()

    assert (shown["status"], shown["machine"]["state"]) == ("offline", "offline")
    assert (shown["machine"]["job"], shown["machine"]["progress"]) == (printing["name"], 0.31)
    assert shown["machine"]["seen"] == silent.isoformat()
