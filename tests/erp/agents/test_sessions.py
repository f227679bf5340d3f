"""An agent works from one place at a time, and its requests count for its bureau."""

from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from apps.erp.models import Agent
from core.request_context import ACCOUNT
from tests.erp.agents.conftest import code_of


def exchange(agent, session: str):
    return agent.post("/agent/exchange/", {"session": session})


def test_second_session_of_an_agent_is_rejected_until_the_first_is_silent(agent):
    assert exchange(agent, "here").status_code == 200
    assert exchange(agent, "here").status_code == 200  # it was restarted

    copy = exchange(agent, "there")
    assert (copy.status_code, code_of(copy)) == (409, "agent-elsewhere")
    assert "60 s of its silence" in copy.json()["errors"][0]["title"]

    Agent.objects.update(seen=timezone.now() - timedelta(seconds=61))
    assert exchange(agent, "there").status_code == 200
    assert exchange(agent, "here").status_code == 409


def test_agent_paired_again_starts_a_new_session_at_once(agent, paired, erp, client_of):
    assert exchange(agent, "here").status_code == 200
    code = erp.post(f"{paired[0]['uri']}code/").json()["code"]
    token = client_of("erp").post("/agent/pair/", {"code": code}).json()["token"]

    moved = client_of("erp", HTTP_AUTHORIZATION=f"Bearer {token}")

    assert exchange(moved, "there").status_code == 200


def test_requests_of_agents_count_for_their_bureau(agent, location):
    answer = agent.post("/agent/exchange/", {})

    bureau = UUID(location["bureau"].rstrip("/").rpartition("/")[2])
    assert answer.wsgi_request.META[ACCOUNT] == f"agents of {bureau}"
    agent.defaults["HTTP_AUTHORIZATION"] = "Bearer wrong"
    assert agent.post("/agent/exchange/", {}).wsgi_request.META[ACCOUNT] == ""
