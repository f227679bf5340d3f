"""Admin: creation and expiry of signing secrets; never the secrets themselves."""

from django.contrib import admin

from apps.callbacks.models import WebhookSecret
from core.web.admin_base import ReadOnlyPage


@admin.register(WebhookSecret)
class WebhookSecretAdmin(ReadOnlyPage):
    """Owners read and replace theirs over the API."""

    list_display = ["uuid", "owner", "created", "expires"]
    list_filter = ["created", "expires"]
    list_select_related = ["owner"]
    search_fields = ["=owner__username"]
    ordering = ["-uuid"]
