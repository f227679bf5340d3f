"""{slicing_url}: engines."""

from collections.abc import Iterable

from apps.slicing.domain.engine_room import InstalledEngine, engine_states
from apps.slicing.serializers.engine import engine_resource
from core.api import lists
from core.api.held import HeldViewSet
from core.api.lists import Column, Listing


class EngineViewSet(HeldViewSet):
    says = {"list": "List the engines", "retrieve": "Read an engine"}
    kind = InstalledEngine
    represent = staticmethod(engine_resource)
    listing = Listing(
        filters={"engine": Column("engine"), "usable": Column("usable", lists.boolean)},
        search={"name": "name"},
        sort={"name": "name"},
    )

    def held(self) -> Iterable[InstalledEngine]:
        return engine_states()
