"""What a worker process imports: Django, every actor, and what the slot's last process left."""

import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")
os.environ.setdefault("STATEMENT_TIMEOUT", "60s")

import django  # noqa: E402

from core.parent import end_with_parent  # noqa: E402

end_with_parent()  # Dramatiq's first process may be killed; a worker alone would hold the slot

django.setup()

from django.utils.module_loading import autodiscover_modules  # noqa: E402

from core.actors import plan_housekeeping  # noqa: E402
from core.broker import take_over  # noqa: E402

autodiscover_modules("actors")

take_over()
plan_housekeeping(60_000)
