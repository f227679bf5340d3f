"""The settings of the platform that the browser looks at: one language more, for tests alone."""

from project.settings import *  # noqa: F403
from project.settings import DATA_DIR
from project.settings import LANGUAGES as SPOKEN
from tests.browser.pseudo_locale import CODE, NAME

LANGUAGES = [*SPOKEN, (CODE, NAME)]
LOCALE_PATHS = [DATA_DIR / "locale"]
