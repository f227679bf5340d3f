"""Provenance relations of slices."""

from apps.slicing.models import Config, Gcode, Slice
from core.provenance import Kind, Tracing, key_in, uri_in

TRACING = Tracing(
    kinds=(
        Kind(Config, name="description", facts=("engine", "kind", "created")),
        Kind(Slice, facts=("engine_version", "model_sha256", "slice_time", "created")),
        Kind(Gcode, facts=("content__sha256", "file_size", "created")),
    ),
    relations=(
        uri_in(Slice, "model-of", "model_uri", "model"),
        key_in(Slice, "config-of", "config_id", Config),
    ),
)
