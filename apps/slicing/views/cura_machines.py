"""Views: machines of Cura."""

from collections.abc import Iterable
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from apps.slicing.domain.cura_machines import CuraMachine, cura_machines
from apps.slicing.serializers.cura_machine import (
    CuraChoicesAnswer,
    cura_choices_resource,
    cura_machine_resource,
)
from apps.slicing.services.cura_configs import CuraChoices, machine_choices
from core.api.in_memory import InMemoryViewSet
from core.api.lists.list_queries import BadQuery, Column, ListOptions
from core.api.renderers import Response
from core.errors import InvalidFields, ServiceError

CHOICES = [
    OpenApiParameter("nozzle", str, description="Name of a nozzle; empty: the preferred one."),
    OpenApiParameter(
        "material", str, description="Identifier or name of a material; empty: the preferred one."
    ),
    OpenApiParameter(
        "quality", str, description="Type or name of a quality; empty: the preferred one."
    ),
]


class CuraMachineViewSet(InMemoryViewSet):
    says = {
        "list": "List machines of Cura",
        "retrieve": "Get a machine of Cura",
        "choices": "Get what can be chosen of a machine of Cura",
    }
    kind = CuraMachine
    represent = staticmethod(cura_machine_resource)
    listing = ListOptions(
        filters={"identifier": Column("identifier"), "manufacturer": Column("manufacturer")},
        search={"name": "name", "manufacturer": "manufacturer"},
        sort={"name": "name", "manufacturer": "manufacturer"},
    )

    def held(self) -> Iterable[CuraMachine]:
        return cura_machines()

    @extend_schema(parameters=CHOICES, responses={200: CuraChoicesAnswer})
    def choices(self, request: Request, uuid: UUID) -> Response:
        machine = self.row(uuid)
        _require_names(request.query_params)
        chosen = {name: request.query_params.get(name, "") for name in _NAMES}
        return Response(cura_choices_resource(machine_choices(machine, CuraChoices(**chosen))))


_NAMES = [each.name for each in CHOICES]


def _require_names(arguments: Iterable[str]) -> None:
    """Raise InvalidFields for arguments that there are not."""
    faults: list[ServiceError] = [
        BadQuery(f"There is no argument {name!r}; there are: {', '.join(_NAMES)}.", field=name)
        for name in arguments
        if name not in _NAMES
    ]
    if faults:
        raise InvalidFields(faults)
