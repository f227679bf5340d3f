"""Operators' pages: configs."""

from django.contrib import admin

from apps.slicing.models import Config
from core.admin import Watched


@admin.register(Config)
class ConfigAdmin(Watched):
    list_display = ["uuid", "description", "engine", "owner", "created", "deleted"]
    list_filter = ["engine", "created", "deleted"]
    search_fields = ["uuid", "description", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
