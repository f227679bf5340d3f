"""Download URLs of a model's files."""

import functools

from apps.warehouse.models.model import Model
from core.files.signed_urls import OCTETS, download_url
from core.text.file_names import safe_file_name

# Those that are registered; the other types are bytes.
MEDIA_TYPES: dict[str, str] = {
    Model.Type.STL: "model/stl",
    Model.Type.OBJ: "model/obj",
    Model.Type.GLTF: "model/gltf+json",
    Model.Type.GLB: "model/gltf-binary",
    Model.Type.THREE_MF: "model/3mf",
    Model.Type.STEP: "model/step",
    Model.Type.IGES: "model/iges",
    Model.Type.ZIP: "application/zip",
    Model.Type.PDF: "application/pdf",
    "png": "image/png",
}
ENDINGS = frozenset(Model.Type.values)  # which the enumeration would gather for each name


@functools.lru_cache(maxsize=10_000)
def file_name(name: str, extension: str) -> str:
    """A model's name as the name of a file with this extension."""
    stem, _, ending = name.rpartition(".")
    bare = stem if stem and ending.lower() in ENDINGS else name
    return safe_file_name(bare, extension, otherwise="model")


def location(sha256: str | None, name: str, extension: str) -> str | None:
    """Return the download URL of a stored file, named after its model; None where there is none."""
    if sha256 is None:
        return None
    media_type = MEDIA_TYPES.get(extension, OCTETS)
    return download_url(sha256, media_type=media_type, filename=file_name(name, extension))


def content_location(model) -> str | None:
    """Return the download URL of the uploaded file; None where there is none."""
    return location(model.content_id, model.name, model.type)


def picture_location(sha256: str | None, name: str) -> str | None:
    """Return the download URL of a picture; None where there is none."""
    return location(sha256, name, "png")
