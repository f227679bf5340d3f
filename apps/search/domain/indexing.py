"""Indexes one model."""

from typing import Any

from apps.search.domain import descriptors
from apps.search.domain.model_sources import Source
from apps.search.models import IndexedModel
from core.files import blobs
from core.sandbox.sandbox import JobInputError


def examine(source: Source, *, field: str = "model_uri") -> dict[str, Any]:
    """Describe a model and keep what is found; `status`, `error` and `content_hash` for its row.

    Keeps another server's file too, since comparisons read it. A file that cannot be described is
    a status; what `sources` refuses is an exception.
    """
    try:
        with descriptors.described(source, field=field) as subject:
            if not subject.kept:
                blobs.create_row(*blobs.store_file(subject.path))
            descriptors.store(subject.sha256, subject.description)
    except JobInputError as error:
        status, fault, content_hash = IndexedModel.Status.ERROR, error.title, ""
    else:
        status, fault, content_hash = IndexedModel.Status.COMPLETE, "", subject.sha256
    return {"status": status, "error": fault, "content_hash": content_hash}
