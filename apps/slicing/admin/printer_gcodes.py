"""Admin: confirmed start and end G-code of printers."""

from django.contrib import admin
from django.db.models import Q

from apps.slicing.models import PrinterGcode
from core.web.admin_base import ReadOnlyPage


@admin.register(PrinterGcode)
class PrinterGcodeAdmin(ReadOnlyPage):
    list_display = ["uuid", "preset_name", "status", "owner", "created", "deleted"]
    list_filter = ["status", "created", "deleted"]
    search_fields = ["uuid", "preset_name", "owner__username"]
    ordering = ["-uuid"]
    list_select_related = ["owner"]
    failed = Q(status=PrinterGcode.Status.ERROR, deleted=None)
