"""Views: printer makers' presets."""

from collections.abc import Iterable

from django.db.models import Q

from apps.slicing.domain.catalogue import Preset, catalogue
from apps.slicing.serializers.preset import preset_resource
from core.api.in_memory import InMemoryViewSet
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions


def _fitting_printer(uri: str) -> Q:
    """The prints and filaments for a printer."""
    read = catalogue()
    printer = read.find(uri, "printer")
    if printer is None:
        return Q(pk__in=[])
    fitting = [*read.fitting("print", printer), *read.fitting("filament", printer)]
    return Q(pk__in={row.uuid for row in fitting})


def _fitting_print(uri: str) -> Q:
    """The filaments for a print, whatever the printer."""
    read = catalogue()
    print_ = read.find(uri, "print")
    return Q(pk__in={row.uuid for row in read.for_print(print_)} if print_ else [])


class PresetViewSet(InMemoryViewSet):
    says = {"list": "List presets", "retrieve": "Get a preset"}
    kind = Preset
    represent = staticmethod(preset_resource)
    listing = ListOptions(
        filters={
            "kind": Column("kind"),
            "engine": Column("engine"),
            "vendor": Column("vendor"),
            "printer_model": Column("printer_model"),
            "nozzle_diameter": Column("nozzle_diameter", list_queries.number, ordered=True),
            "layer_height": Column("layer_height", list_queries.number, ordered=True),
            "filament_type": Column("filament_type"),
            "usable": Column("usable", list_queries.boolean),
            "origin": Column("origin"),
            "estimate_only": Column("estimate_only", list_queries.boolean),
        },
        search={"name": "name", "printer_model": "printer_model"},
        sort={"name": "name", "vendor": "vendor", "layer_height": "layer_height"},
        plain={"filter[printer]": _fitting_printer, "filter[print]": _fitting_print},
    )

    def held(self) -> Iterable[Preset]:
        return catalogue()
