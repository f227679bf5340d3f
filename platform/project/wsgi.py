"""WSGI application of Django."""

import gc
import os
import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parents[1])]
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "project.settings")

from django.core.wsgi import get_wsgi_application  # noqa: E402

application = get_wsgi_application()

# What is there now lives as long as the process: no collection looks through it again. A collection
# stops all threads, and its pause grows with the number of new objects: many short ones.
gc.collect()
gc.freeze()
gc.set_threshold(10_000, 5, 100)
