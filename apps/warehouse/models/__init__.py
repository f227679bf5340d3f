"""Models, versions, labels, snapshots, renditions and their download URLs."""

from apps.warehouse.models.download_urls import (
    content_location,
    file_name,
    location,
    picture_location,
)
from apps.warehouse.models.label import Label
from apps.warehouse.models.model import Model, ModelQuerySet
from apps.warehouse.models.rendition import Rendition
from apps.warehouse.models.snapshot import Snapshot
from apps.warehouse.models.version import ModelVersion

__all__ = [
    "Label",
    "Model",
    "ModelQuerySet",
    "ModelVersion",
    "Rendition",
    "Snapshot",
    "content_location",
    "file_name",
    "location",
    "picture_location",
]
