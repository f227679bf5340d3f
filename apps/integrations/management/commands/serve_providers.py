"""manage.py serve_providers: run the built-in providers."""

import os
import sys
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand

APPLICATION = "apps.integrations.builtin.server:application"


class Command(BaseCommand):
    help = "Serves the built-in providers at PROVIDERS_URL: healing, conversion, serialization."
    requires_system_checks = ()

    def handle(self, **options):
        address = urlsplit(settings.PROVIDERS_URL)
        local = address.hostname in ("127.0.0.1", "localhost", "::1")
        host = str(address.hostname) if local else "0.0.0.0"  # noqa: S104  a name of a container
        words = ["--process-name", f"providers: granian {APPLICATION}"]
        words += ["--interface", "asgi", APPLICATION]
        words += ["--host", host, "--no-ws"]
        paths = [str(settings.BASE_DIR), str(settings.BASE_DIR / "platform")]
        os.environ["PYTHONPATH"] = os.pathsep.join([*paths, os.environ.get("PYTHONPATH", "")])
        os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
        # The same process goes on, so that its supervisor can end it.
        command = [sys.executable, "-m", "granian", *words, "--port", str(address.port or 80)]
        os.execv(sys.executable, command)  # noqa: S606 (the words are ours)
