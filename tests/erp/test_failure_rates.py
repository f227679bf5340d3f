"""Failure rates of a bureau: failed prints and rejected pieces by printer, material and profile."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.erp.models import Attempt, Run
from tests.erp.conftest import key_of


def rates(client, bureau: dict) -> dict:
    answer = client.get(f"{bureau['uri']}failure-rates/")
    assert answer.status_code == 200, answer.json()
    return answer.json()


@pytest.fixture
def print_run_of(erp, make, print_run, pieces_of, confirm, printer):
    """`print_run_of(3, "failed", rejected=1)`: prints so many pieces, and clears the plate."""
    assert erp.put(printer["uri"], {"driver": "manual"}).status_code == 204
    assert erp.post(f"{printer['uri']}clear/", {}).status_code == 200

    def printed(quantity: int, status: str, rejected: int = 0) -> Attempt:
        pieces = pieces_of(confirm(quantity=quantity))
        attempt = make("attempt", run=print_run(pieces)["uri"], printer=printer["uri"])
        for word in ("printing", status):
            assert erp.put(attempt["uri"], {"status": word}).status_code == 204
        bad = [{"piece": piece["uri"]} for piece in pieces[:rejected]]
        assert erp.post(f"{printer['uri']}clear/", {"rejected": bad}).status_code == 200
        return Attempt.objects.get(pk=key_of(attempt))

    return printed


def test_failure_rates_count_prints_and_pieces_by_printer_material_and_profile(
    erp, bureau, printer, print_run_of
):
    config = "http://slicing.platform.test/config/01a1ff30-0000-7000-8000-000000000001/"
    done = print_run_of(3, "done", rejected=1)
    Run.objects.filter(pk=done.run_id).update(config_uri=config)
    print_run_of(1, "failed", rejected=1)
    print_run_of(2, "stopped")

    result = rates(erp, bureau)

    total = {"prints": 3, "failed": 1, "stopped": 1, "pieces": 6, "rejected": 2}
    assert result["total"] == total
    assert result["printers"] == [
        {"printer": printer["uri"], "name": printer["name"], **total},
    ]
    assert [{**total} == {key: row[key] for key in total} for row in result["materials"]] == [True]
    assert {row["config"]: row["prints"] for row in result["profiles"]} == {None: 2, config: 1}
    assert {row["config"]: row["rejected"] for row in result["profiles"]} == {None: 1, config: 1}


def test_prints_of_an_earlier_period_are_not_counted(erp, bureau, print_run_of):
    attempt = print_run_of(1, "failed", rejected=1)
    earlier = timezone.now() - timedelta(days=91)
    Attempt.objects.filter(pk=attempt.pk).update(ended=earlier)
    Run.objects.filter(pk=attempt.run_id).update(finished=earlier)

    result = rates(erp, bureau)

    assert result["total"]["prints"] == result["total"]["pieces"] == 0
    assert result["printers"] == []


def test_failure_rates_need_the_right_to_read_the_bureau(client_of, stranger, bureau):
    answer = client_of("erp", stranger).get(f"{bureau['uri']}failure-rates/")

    assert answer.status_code == 404
