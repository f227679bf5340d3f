"""The test that a provider's author runs: it plays the platform against their server."""

from apps.integrations.conformance.checks import Outcome, run
from apps.integrations.conformance.fake_platform import Stand

__all__ = ["Outcome", "Stand", "run"]
