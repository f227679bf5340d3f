"""manage.py queue_depth: backlog per queue, for autoscaling."""

import json
from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandError

from core.queue.depth import Depth, depths
from ops.programs import QUEUES


class Command(BaseCommand):
    help = "Prints, by queue: jobs ready and at work, their expected seconds, the oldest's wait."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("--queue", default="", help="This one, or some of them, by commas.")
        parser.add_argument(
            "--seconds",
            action="store_true",
            help="Only for how many seconds all of these would keep one worker busy.",
        )

    def handle(self, *, queue: str, seconds: bool, **options):
        wanted = [name.strip() for name in queue.split(",")] if queue else QUEUES
        if unknown := sorted(set(wanted) - set(QUEUES)):
            raise CommandError(f"There is no queue {unknown[0]!r}; there are {', '.join(QUEUES)}.")
        found = depths()
        wanted_depths = {name: found.get(name, Depth()) for name in wanted}
        if seconds:
            self.stdout.write(f"{sum(each.seconds for each in wanted_depths.values()):.1f}")
        else:
            values = {name: asdict(each) for name, each in wanted_depths.items()}
            self.stdout.write(json.dumps(values))
