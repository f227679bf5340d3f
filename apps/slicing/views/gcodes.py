"""{slicing_url}: gcode of a client's own."""

from apps.slicing.models import Gcode
from apps.slicing.serializers.gcode import GcodeSerializer, gcode_resource
from apps.slicing.services import gcodes
from core.api import lists
from core.api.lists import Column, Listing
from core.api.waiting import WaitingTellers


class GcodeViewSet(WaitingTellers):
    kind = Gcode
    related = ("owner",)
    serializer_class = GcodeSerializer
    writes = gcodes
    represent = staticmethod(gcode_resource)
    takes_file = True
    listing = Listing(
        filters={
            "status": Column("status"),
            "created": Column("created", lists.time, ordered=True),
            "updated": Column("updated", lists.time, ordered=True),
            "file_size": Column("file_size", lists.number, ordered=True),
        },
        search={"name": "name"},
        sort={"created": "uuid", "updated": "updated", "name": "name", "status": "status"},
    )
