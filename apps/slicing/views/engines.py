"""Views: engines."""

from collections.abc import Iterable

from apps.slicing.domain.installed_engines import InstalledEngine, engine_states
from apps.slicing.serializers.engine import engine_resource
from core.api.in_memory import InMemoryViewSet
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions


class EngineViewSet(InMemoryViewSet):
    says = {"list": "List engines", "retrieve": "Get an engine"}
    kind = InstalledEngine
    represent = staticmethod(engine_resource)
    listing = ListOptions(
        filters={"engine": Column("engine"), "usable": Column("usable", list_queries.boolean)},
        search={"name": "name"},
        sort={"name": "name"},
    )

    def held(self) -> Iterable[InstalledEngine]:
        return engine_states()
