"""manage.py watchdog: kill programs that do not serve, so that they restart (used by `up`)."""

from django.core.management.base import BaseCommand

from ops.programs import platform_programs
from ops.watchdog import Watch, health_file


class Command(BaseCommand):
    help = "Kill programs that run but do not serve, so that they are restarted (used by `up`)."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("parts", help="The parts that were started, comma-separated.")

    def handle(self, *, parts: str, **options):
        names = parts.split(",")
        Watch(platform_programs(names), health_file(names)).run()
