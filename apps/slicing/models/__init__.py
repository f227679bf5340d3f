"""Configs, and the slices that were made with them."""

from apps.slicing.models.config import Config, EngineName
from apps.slicing.models.slice import Slice

__all__ = ["Config", "EngineName", "Slice"]
