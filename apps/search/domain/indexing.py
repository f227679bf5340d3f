"""Indexes one model."""

from typing import NamedTuple

from apps.search.domain import descriptors
from apps.search.domain.model_sources import Source
from apps.search.models import IndexedModel
from core.files import blobs
from core.sandbox.sandbox import JobInputError


class Examined(NamedTuple):
    """Columns of an indexed model that say what its file came to."""

    status: str
    error: str = ""
    content_hash: str = ""


def examine(source: Source, *, field: str = "model_uri") -> Examined:
    """Compute and store a descriptor.

    Also stores the file of another server, since comparisons read it. A file without a descriptor
    is a status; errors of `model_sources` are raised.
    """
    try:
        with descriptors.described(source, field=field) as subject:
            if not subject.kept:
                blobs.create_row(*blobs.store_file(subject.path))
            descriptors.store(subject.sha256, subject.description)
    except JobInputError as error:
        return Examined(IndexedModel.Status.ERROR, error=error.title)
    return Examined(IndexedModel.Status.COMPLETE, content_hash=subject.sha256)
