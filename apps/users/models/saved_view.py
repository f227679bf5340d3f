"""SavedView: filters, order and columns of a list, under a name."""

from django.db import models

from apps.users.models.user import User
from core.model_fields import DatabaseTimeField
from core.resources import Resource


class SavedView(Resource):
    """What a person wants to see of a list: its page, and the query of its address."""

    SERVICE = "users"
    KIND = "saved-view"

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=100)
    page = models.CharField(max_length=100)
    query = models.CharField(max_length=2000, blank=True)
    updated = DatabaseTimeField(auto_now=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "page", "name"], name="view_name")]

    def __str__(self) -> str:
        return f"{self.name} ({self.page})"
