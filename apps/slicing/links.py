"""What slicing tells of how tool-paths came to be."""

from apps.slicing.models import Config, Gcode, Slice
from core.links import End, Kind, Relation, Tracing

_SLICE = End("pk", "slicing", "slice-detail")

TRACING = Tracing(
    kinds=(
        Kind(
            "slicing",
            "config-detail",
            Config.objects.visible_to,
            name="description",
            status="",
            facts=("engine", "kind", "created"),
        ),
        Kind(
            "slicing",
            "slice-detail",
            Slice.objects.visible_to,
            facts=("engine_version", "model_sha256", "slice_time", "created"),
        ),
        Kind(
            "slicing",
            "gcode-detail",
            Gcode.objects.visible_to,
            name="name",
            facts=("content__sha256", "file_size", "created"),
        ),
    ),
    relations=(
        Relation(
            "model-of",
            Slice.objects.visible_to,
            source=End("model_uri", "models", "model-detail", uri=True),
            target=_SLICE,
        ),
        Relation(
            "config-of",
            Slice.objects.visible_to,
            source=End("config_id", "slicing", "config-detail"),
            target=_SLICE,
        ),
    ),
)
