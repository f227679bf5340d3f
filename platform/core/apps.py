"""AppConfigs: the core's tables, and the queue with our Dramatiq broker."""

import dramatiq
from django.apps import AppConfig
from django.core import checks
from django.core.signals import got_request_exception
from dramatiq_postgres.django.apps import DramatiqPostgresConfig


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "Kernel"

    def ready(self) -> None:
        from core import checks as ours  # needs the app registry
        from core.web import server_errors

        checks.register(ours.check_sandboxing, checks.Tags.security)
        checks.register(ours.check_mail, checks.Tags.security)
        got_request_exception.connect(server_errors.remember)


class QueueConfig(DramatiqPostgresConfig):
    """The queue's tables and admin pages, with our broker in place of the package's."""

    verbose_name = "Queue"

    def ready(self) -> None:
        from core.queue.broker import create_broker  # Dramatiq's middleware needs the app registry

        self.broker = create_broker()
        dramatiq.set_broker(self.broker)
