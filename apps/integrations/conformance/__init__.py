"""Conformance test for provider authors: plays the platform."""

from apps.integrations.conformance.checks import Outcome, run
from apps.integrations.conformance.fake_platform import Stand

__all__ = ["Outcome", "Stand", "run"]
