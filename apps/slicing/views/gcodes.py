"""Views: uploaded gcode."""

from apps.slicing.models import Gcode
from apps.slicing.serializers.gcode import GcodeSerializer, gcode_resource
from apps.slicing.services import gcodes
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.queue_position import QueuePositionMixin


class GcodeViewSet(QueuePositionMixin):
    kind = Gcode
    related = ("owner",)
    serializer_class = GcodeSerializer
    writes = gcodes
    represent = staticmethod(gcode_resource)
    takes_file = True
    listing = ListOptions(
        filters={
            "status": Column("status"),
            "created": Column("created", list_queries.time, ordered=True),
            "updated": Column("updated", list_queries.time, ordered=True),
            "file_size": Column("file_size", list_queries.number, ordered=True),
        },
        search={"name": "name"},
        sort={"created": "uuid", "updated": "updated", "name": "name", "status": "status"},
    )
