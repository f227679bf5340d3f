"""Known missing or corrupt files: recorded when a read meets them."""

import logging
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError

from core.files.storage.errors import FileCorrupt, FileMissing
from core.models import DamagedFile

logger = logging.getLogger(__name__)


@contextmanager
def noted(sha256: str) -> Iterator[None]:
    """Note what turns out to be wrong with this file; the fault goes on."""
    try:
        yield
    except (FileMissing, FileCorrupt) as fault:
        what = DamagedFile.What.LOST if isinstance(fault, FileMissing) else DamagedFile.What.CORRUPT
        logger.error("%s", fault.words)
        try:
            note(sha256, what)
        except DatabaseError:
            logger.warning("It could not be noted: %s", fault.words)
        raise


def note(sha256: str, what: str) -> None:
    """Record that a file is damaged, so that the next upload replaces it."""
    DamagedFile.objects.update_or_create(sha256=sha256, defaults={"what": what})


def forget(sha256: str) -> None:
    """A file was read well, or brought anew."""
    DamagedFile.objects.filter(pk=sha256).delete()


def counts() -> dict[str, int]:
    """Return the number of lost and of corrupt files recorded."""
    found = Counter(DamagedFile.objects.values_list("what", flat=True))
    return {what: found[what] for what in DamagedFile.What.values}
