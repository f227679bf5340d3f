"""Views: saved views of lists."""

from django.db.models import QuerySet

from apps.users.models import SavedView
from apps.users.serializers.saved_view import SavedViewSerializer, saved_view_resource
from apps.users.services import saved_views
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class SavedViewViewSet(ResourceViewSet):
    """One's own views, and nobody else's."""

    kind = SavedView
    serializer_class = SavedViewSerializer
    represent = staticmethod(saved_view_resource)
    writes = saved_views
    listing = ListOptions(
        filters={"page": Column("page"), "name": Column("name")},
        search={"name": "name"},
        sort={"created": "uuid", "name": "name", "updated": "updated"},
    )

    def rows(self) -> QuerySet[SavedView]:
        return SavedView.objects.filter(user=self.caller)
