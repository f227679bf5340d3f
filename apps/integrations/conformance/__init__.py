"""Conformance test for provider authors: plays the platform."""

from apps.integrations.conformance.checks import Outcome, run
from apps.integrations.conformance.fake_platform import FakePlatform

__all__ = ["Outcome", "FakePlatform", "run"]
