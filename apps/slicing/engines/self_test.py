"""Engine self-test: a version that is not tested is offered once it has sliced a cube.

The versions of Debian's releases run in the platform's tests. Any other version has to slice a
cube first, once for each program (by its SHA-256); it is then offered with a note. The test takes
seconds, so a web request never runs it: `manage.py up` does before it starts processes, and
`manage.py doctor`.
"""

import tempfile
from collections.abc import Mapping
from copy import copy
from pathlib import Path
from typing import Self, cast

from apps.slicing.engines import engine_cache
from apps.slicing.engines.base import (
    PIPELINE_VERSION,
    Engine,
    EngineLimits,
    Runner,
    SettingsError,
    SliceFailed,
)
from apps.slicing.engines.crash_diagnosis import write_cube
from apps.slicing.engines.engine_process import run

SIDE = 20.0  # mm
LIMITS = EngineLimits(wall_seconds=120.0, cpu_seconds=120)
FACT = f"self-test-{PIPELINE_VERSION}"  # other settings are another test
MIN_VOLUME, LARGEST_VOLUME = 1.0, 9.0  # cm3 of filament; the cube has 8


class SelfTested:
    """What engines have in common: when they are offered, and why not.

    tested : the versions that run in the platform's tests
    facts  : the folder of `engine_cache`
    runner : runs the program
    """

    name: str
    tested: tuple[str, ...]
    facts: Path | None = None
    runner: Runner = staticmethod(run)

    def run_by(self, runner: Runner) -> Self:
        """Return the engine with another way to run its program."""
        other = copy(self)
        other.runner = runner
        return other

    def program(self) -> Path | None:
        """The engine's program."""
        raise NotImplementedError

    def program_version(self) -> str | None:
        """Return the version that the program prints; None where it does not work."""
        raise NotImplementedError

    def obstacle(self) -> str | None:
        """Why the engine cannot be used at all, and what to do; None where it can."""
        raise NotImplementedError

    def version(self) -> str | None:
        """The installed version; None where the engine is not offered."""
        return None if self._rejection() else self.program_version()

    def missing(self) -> str:
        """Why the engine is not offered, and what to do."""
        return self._rejection() or f"{self.name} is installed."

    def note(self) -> str | None:
        """Return a remark for users of an engine; None where there is none."""
        version = self.version()
        if version is None or version in self.tested:
            return None
        return (
            f"{self.name} {version} is not one of the tested versions, "
            f"{', '.join(self.tested)}. It sliced a test cube; check its gcode before printing."
        )

    def self_test(self) -> None:
        """Slice the test cube, unless the version is tested, or this program has passed before."""
        program = self.program()
        if program is None or self.obstacle() or self.program_version() in self.tested:
            return
        known = engine_cache.look_up(program, FACT, self.facts)
        if not (isinstance(known, Mapping) and known.get("passed")):  # one that failed is retried
            reason = test_slice(cast(Engine, self))
            result = {"passed": not reason, "reason": reason}
            engine_cache.store(program, FACT, result, self.facts)

    def _rejection(self) -> str | None:
        if obstacle := self.obstacle():
            return obstacle
        version, program = self.program_version(), self.program()
        if version in self.tested or program is None:
            return None
        title = f"{self.name} {version} is not one of the tested versions"
        known = engine_cache.look_up(program, FACT, self.facts)
        mend = f"Install version {' or '.join(self.tested)}."
        if not isinstance(known, Mapping):
            return (
                f"{title}, and has not sliced the test cube yet: run `manage.py doctor`, "
                "or restart the platform."
            )
        if known.get("passed"):
            return None
        return f"{title}, and failed to slice the test cube: {known.get('reason')} {mend}"


def test_slice(engine: Engine) -> str:
    """Slice a cube with the usual settings. Return why that failed; empty where it did not."""
    with tempfile.TemporaryDirectory() as place:
        stl, folder = Path(place) / "cube.stl", Path(place) / "work"
        folder.mkdir()
        write_cube(stl, SIDE)
        try:
            sliced = engine.slice(stl, engine.settings({}), folder, limits=LIMITS)
        except (SettingsError, OSError) as error:
            return str(error)
        except SliceFailed as failure:
            return failure.title
        figures = sliced.figures
        if not MIN_VOLUME < figures.build_volume_cc < LARGEST_VOLUME:
            return f"it used {figures.build_volume_cc:.3g} cm³ of filament for a cube of 8 cm³."
    return ""
