"""The slicing service, as others see it."""

from apps.slicing.engine_room import installed_engines


def engine_versions() -> dict[str, tuple[str | None, str]]:
    """Engine -> its installed version (None: not installed), and what to do where it is missing."""
    return {
        engine.name: (engine.version(), engine.missing()) for engine in installed_engines().values()
    }
