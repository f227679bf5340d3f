"""The kernel's tables, and the broker that every process uses."""

import dramatiq
from django.apps import AppConfig
from dramatiq_postgres.django.apps import DramatiqPostgresConfig


class CoreConfig(AppConfig):
    name = "core"
    verbose_name = "Kernel"


class QueueConfig(DramatiqPostgresConfig):
    """The queue's tables and admin pages, with our broker in place of the package's."""

    verbose_name = "Queue"

    def ready(self) -> None:
        from core.broker import make_broker  # Dramatiq's middleware needs the app registry

        self.broker = make_broker()
        dramatiq.set_broker(self.broker)
