"""Connection tests that no agent has ended."""

from django.utils import timezone

from apps.erp.printing.models.connection_tests import LIFETIME, ConnectionTest


def end_overdue_tests() -> None:
    """Fail the tests that no agent has ended, and delete their keys."""
    silent = {
        "step": "reach",
        "result": "failed",
        "text": "The agent did not report a result within two minutes.",
        "problem": "agent-silent",
    }
    oldest = timezone.now() - LIFETIME
    for test in ConnectionTest.objects.filter(state__in=ConnectionTest.OPEN, created__lt=oldest):
        ConnectionTest.objects.filter(uuid=test.uuid, state__in=ConnectionTest.OPEN).update(
            state=ConnectionTest.State.FAILED,
            steps=[*test.steps, silent],
            sealed_key=None,
            ended=timezone.now(),
        )
