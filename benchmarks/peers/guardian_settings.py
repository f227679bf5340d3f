"""The platform's settings with django-guardian beside its own rights."""

from project.settings import *  # noqa: F403
from project.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "guardian"]
ANONYMOUS_USER_NAME = None
GUARDIAN_MONKEY_PATCH_USER = False
SILENCED_SYSTEM_CHECKS = ["guardian.W001"]
