"""What operators' pages of several services share."""

from django.contrib import admin
from django.http import HttpRequest


class Watched(admin.ModelAdmin):
    """Rows that only the API makes and changes: operators look, and act through actions."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False
