"""Our manage.py, but that the programs of `up` are started by their commands, not forked."""

import runpy
import sys
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from ops import prefork, programs  # noqa: E402  needs the path above

_managed = programs._managed
programs._managed = lambda *words, **options: replace(_managed(*words, **options), manage=())
prefork.load = lambda: None  # it has no use for what they do

runpy.run_path(str(ROOT / "manage.py"), run_name="__main__")
