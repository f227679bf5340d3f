"""Admin: sinks and their sizes; never their contents."""

from django.contrib import admin

from apps.callbacks.models import Sink
from core.web.admin_base import ReadOnlyPage


@admin.register(Sink)
class SinkAdmin(ReadOnlyPage):
    """Their URLs are their owners'."""

    list_display = ["uuid", "owner", "created", "expires"]
    list_filter = ["created", "expires"]
    list_select_related = ["owner"]
    search_fields = ["=uuid", "=owner__username"]
    ordering = ["-uuid"]
