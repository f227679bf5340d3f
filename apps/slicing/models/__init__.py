"""Configs, the slices that were made with them, and constraints on both."""

from apps.slicing.models.config import Config, EngineName
from apps.slicing.models.constraint import Association, Constraint
from apps.slicing.models.slice import Slice

__all__ = ["Association", "Config", "Constraint", "EngineName", "Slice"]
