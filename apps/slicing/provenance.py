"""Provenance relations of slices."""

from apps.slicing.models import Config, Gcode, Slice
from core.provenance import ProvenanceSource, TracedKind, by_key, by_uri

TRACING = ProvenanceSource(
    kinds=(
        TracedKind(Config, name="description", facts=("engine", "kind", "created")),
        TracedKind(Slice, facts=("engine_version", "model_sha256", "slice_time", "created")),
        TracedKind(Gcode, facts=("content__sha256", "file_size", "created")),
    ),
    relations=(
        by_uri(Slice, "model-of", "model_uri", "model"),
        by_key(Slice, "config-of", "config_id", Config),
    ),
)
