"""The users service."""

from django.apps import AppConfig


class UsersConfig(AppConfig):
    name = "apps.users"
    label = "users"

    def ready(self) -> None:
        import apps.users.schema  # noqa: F401  registers itself; needs the app registry
