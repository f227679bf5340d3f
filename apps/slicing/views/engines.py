"""Views: engines."""

from collections.abc import Iterable

from apps.slicing.domain.installed_engines import InstalledEngine, engine_states
from apps.slicing.models import AgentEngine
from apps.slicing.serializers.engine import engine_resource
from core.api.in_memory import InMemoryViewSet
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions


class EngineViewSet(InMemoryViewSet):
    says = {"list": "List engines", "retrieve": "Get an engine"}
    kind = InstalledEngine
    represent = staticmethod(engine_resource)
    listing = ListOptions(
        filters={
            "engine": Column("engine"),
            "usable": Column("usable", list_queries.boolean),
            "in_shop": Column("in_shop", list_queries.boolean),
        },
        search={"name": "name"},
        sort={"name": "name"},
    )

    def held(self) -> Iterable[InstalledEngine | AgentEngine]:
        in_shops = AgentEngine.objects.visible_to(self.caller).order_by("agent_name", "program")
        return [*engine_states(), *in_shops]
