"""The slicing service."""

from django.apps import AppConfig


class SlicingConfig(AppConfig):
    name = "apps.slicing"
