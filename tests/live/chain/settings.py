"""Settings of the chain's platform: cards are paid at a server that behaves as Stripe does."""

import os

from project.settings import *  # noqa: F403

STRIPE_API, STRIPE_CHECKOUT = os.environ["TEST_STRIPE"].split()
