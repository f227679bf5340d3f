"""The settings of the platform that the browser looks at: one language more, for tests alone."""

import os

from project.settings import *  # noqa: F403
from project.settings import DATA_DIR
from project.settings import LANGUAGES as SPOKEN
from tests.browser.pseudo_locale import CODE, NAME

LANGUAGES = [*SPOKEN, (CODE, NAME)]
# The server that stands for Stripe, whose pages customers are led to.
STRIPE_API, STRIPE_CHECKOUT = os.environ["TEST_STRIPE"].split()
LOCALE_PATHS = [DATA_DIR / "locale"]
