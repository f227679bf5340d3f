"""Garbage collection: deletes blobs that no row references, after a grace period.

An unreferenced file is deleted a day later, so that a younger dump of the database finds all its
files when it is restored onto newer ones.

A remote storage is never used within a transaction. An upload first touches the file's row and
commits; a row touched in the last day is not removed. A removal deletes the row and records a
pending deletion in one transaction; then it deletes the file, then the record. An upload of a file
with a pending deletion waits for it. Each step can be repeated.
"""

import time
from datetime import timedelta

from django.db import connection, transaction
from django.db.models import (
    CASCADE,
    Exists,
    ForeignObjectRel,
    OuterRef,
    ProtectedError,
    Q,
    QuerySet,
)
from django.utils import timezone

from core.files import storage
from core.files.storage.base import StorageBackend
from core.files.storage.errors import StorageOutage
from core.models import Blob, DamagedFile, PendingDeletion

SPARED = timedelta(hours=24)
# After so long the process that marked a file has ended, and no request of its own is under way.
ABANDONED = timedelta(minutes=10)
TIMEOUT, PAUSE = 5.0, 0.1  # seconds

_TOUCH = """
    INSERT INTO core_blob (sha256, size, created, touched) VALUES (%s, %s, now(), now())
    ON CONFLICT (sha256) DO UPDATE SET touched = now()
"""


def touch(sha256: str, size: int) -> bool:
    """Create or renew the row of a file before its upload; return whether it is damaged.

    Raises RuntimeError within a transaction, and StorageOutage where a pending deletion does not
    end.
    """
    end = time.monotonic() + TIMEOUT
    while True:
        with transaction.atomic(durable=True):
            with connection.cursor() as cursor:
                cursor.execute(_TOUCH, (sha256, size))
            # After the insertion: one that removes the row has committed by now.
            pending = PendingDeletion.objects.filter(pk=sha256).first()
            if pending is None:
                return DamagedFile.objects.filter(pk=sha256).exists()
            transaction.set_rollback(True)  # noqa: FBT003 (Django's own signature)
        if pending.since < timezone.now() - ABANDONED:
            remove_pending(sha256)
        elif time.monotonic() > end:
            raise StorageOutage(f"The removal of {sha256} has not ended.")
        time.sleep(PAUSE)


def hold(sha256: str, size: int) -> bool:
    """As `touch`, within the caller's transaction, which holds the row until it ends."""
    end = time.monotonic() + TIMEOUT
    while True:
        Blob.objects.bulk_create([Blob(sha256=sha256, size=size)], ignore_conflicts=True)
        row = Blob.objects.filter(pk=sha256).select_for_update(no_key=True).first()
        if row is not None and not PendingDeletion.objects.filter(pk=sha256).exists():
            return DamagedFile.objects.filter(pk=sha256).exists()
        if time.monotonic() > end:
            raise StorageOutage(f"The removal of {sha256} has not ended.")
        if row is not None:
            time.sleep(PAUSE)


def remove_unused(most: int = 10_000, *, kept: timedelta = SPARED) -> int:
    """Remove stored files that no row of any app has referred to for so long; how many.

    Under the row's lock no transaction can begin to refer to it: one that wants to waits, and
    `blobs.record` then makes the row anew. What refers to it with CASCADE goes with it.
    """
    store, removed = storage.current(), 0
    if store.remote:
        _remove_abandoned()
    _note_unused()
    due = _unused(Blob.objects.filter(unused__lte=timezone.now() - kept))
    for sha256 in list(due.values_list("pk", flat=True)[:most]):
        with transaction.atomic():
            rows = _untouched(Blob.objects.filter(pk=sha256))
            blob = rows.select_for_update(skip_locked=True).first()
            try:
                if blob is None or not blob.delete():
                    continue
            except ProtectedError:
                continue  # it was referred to a moment ago: the collector looked under the lock
            if store.remote:
                PendingDeletion.objects.create(sha256=sha256)
            else:
                # Before the commit: later it could be the file of a new row. A row that the loss
                # of power brings back without its file is referred to by nothing.
                store.delete(sha256)
        if store.remote:
            remove_pending(sha256, store)
        removed += 1
    return removed


def remove_pending(sha256: str, store: StorageBackend | None = None) -> None:
    """Delete a file whose row is deleted, and its record. May be repeated."""
    (store or storage.current()).delete(sha256)
    DamagedFile.objects.filter(pk=sha256).delete()
    PendingDeletion.objects.filter(pk=sha256).delete()


def _remove_abandoned() -> None:
    """Continue deletions that a killed process or a storage outage interrupted."""
    for pending in PendingDeletion.objects.filter(since__lt=timezone.now() - ABANDONED):
        remove_pending(pending.sha256)


def _untouched(rows: QuerySet[Blob]) -> QuerySet[Blob]:
    return rows.filter(Q(touched=None) | Q(touched__lt=timezone.now() - SPARED))


def _note_unused() -> None:
    """Note since when nothing refers to a file; one that is used again begins anew."""
    noted = Blob.objects.filter(unused__isnull=False)
    noted.exclude(pk__in=_unused(noted).values("pk")).update(unused=None)
    _unused(Blob.objects.filter(unused=None)).update(unused=timezone.now())


def _unused(rows: QuerySet[Blob]) -> QuerySet[Blob]:
    """Those of the rows that nothing refers to, but for what would go with them."""
    unused = _untouched(rows)
    for relation in relations():
        if relation.on_delete is CASCADE:
            continue
        column = relation.field.name
        users = relation.related_model._base_manager.filter(**{column: OuterRef("pk")})
        unused = unused.filter(~Exists(users))
    return unused


def relations() -> list[ForeignObjectRel]:
    """Everything that refers to stored files."""
    fields = Blob._meta.get_fields(include_hidden=True)
    return [field for field in fields if isinstance(field, ForeignObjectRel)]


def users_of(sha256: str) -> list[str]:
    """What refers to a stored file, by URI where it has one: for operators."""
    found = []
    for relation in relations():
        rows = relation.related_model._base_manager.filter(**{relation.field.name: sha256})
        for row in rows[:100]:
            name = getattr(row, "uri", "") or f"{row._meta.verbose_name} {row.pk}"
            found.append(f"{name} ({relation.field.name})")
    return found
