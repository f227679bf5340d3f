"""Django system checks (security tag): missing sandbox mechanisms, e-mail to a terminal."""

from typing import Any

from django.conf import settings
from django.core import checks

from core.outbound.terminal_email import Terminal
from core.sandbox.confinement import support


def check_sandboxing(**options: Any) -> list[checks.CheckMessage]:
    """The work goes on without, but what strangers send meets large programs."""
    return [checks.Warning(gap, id="core.W001") for gap in support.missing_mechanisms()]


def check_mail(**options: Any) -> list[checks.CheckMessage]:
    """Mail to a terminal is for trying things out on one's own machine."""
    shown = f"{Terminal.__module__}.{Terminal.__qualname__}"
    if settings.EMAIL_BACKEND != shown or settings.PARENT_HOST.split(".")[-1] == "localhost":
        return []
    return [
        checks.Warning(
            f"Mail of {settings.PARENT_HOST} reaches nobody: with EMAIL_URL=console: it is shown "
            "on the terminal of `up` alone.",
            hint="Set EMAIL_URL to smtp://user:password@host:587?tls=1, or to smtps://...",
            id="core.W002",
        )
    ]
