"""AppConfig of slicing."""

from django.apps import AppConfig


class SlicingConfig(AppConfig):
    name = "apps.slicing"
