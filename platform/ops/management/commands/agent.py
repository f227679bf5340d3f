"""manage.py agent: runs the printer agent for printers this host reaches."""

from typing import Any

from django.core.management.base import BaseCommand

from agent.__main__ import main
from ops.programs import agent_folder


class Command(BaseCommand):
    """Hands everything on: `manage.py agent pair`, `add` and `run`."""

    help = "Drive machines: agent pair ADDRESS CODE, agent add PRINTER ADDRESS, agent run."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        main(argv[2:], home=agent_folder())

    def handle(self, *arguments: Any, **options: Any) -> None:
        main(list(arguments), home=agent_folder())
