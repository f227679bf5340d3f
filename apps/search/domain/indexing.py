"""Indexes one model."""

from typing import Any

from apps.search.domain import descriptors
from apps.search.domain.model_sources import Source
from apps.search.models import IndexedModel
from core.files import blobs
from core.sandbox.sandbox import JobInputError


def examine(source: Source, *, field: str = "model_uri") -> dict[str, Any]:
    """Compute and store a descriptor; return `status`, `error` and `content_hash` of its row.

    Also stores the file of another server, since comparisons read it. A file without a descriptor
    is a status; errors of `model_sources` are raised.
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
