"""Stored files that nothing refers to are removed; one that is being stored is never lost."""

import hashlib
import random
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.warehouse.models import Model, Rendition, Snapshot
from core.files import blobs
from core.files.storage import garbage_collection
from core.models import Blob, blob_name
from tests.waiting import TIMEOUT


def written(data: bytes, folder: Path) -> Path:
    """A local file with this content, on the storage's own disk."""
    path = folder / "file"
    path.write_bytes(data)
    return path


def store(data: bytes) -> str:
    """Store a file to which nothing refers yet."""
    with blobs.scratch_dir() as folder:
        return blobs.create_row(*blobs.store_file(written(data, folder)))


def stored() -> set[str]:
    """The contents that have a row; each must have its file, and each file its row."""
    rows = set(Blob.objects.values_list("pk", flat=True))
    files = Path(default_storage.path("blobs")).glob("*/*")
    assert {path.name for path in files} == rows
    return rows


def test_garbage_collection_removes_only_unreferenced_blobs(person):
    content, canonical, drawn, unused = (store(word) for word in (b"a", b"b", b"c", b"d"))
    model = Model.objects.create(owner=person, content_id=content, canonical_id=canonical)
    Snapshot.objects.create(model=model, view={}, content_id=drawn)

    assert garbage_collection.remove_unused(kept=timedelta()) == 1

    assert stored() == {content, canonical, drawn}
    assert unused not in stored()


def test_unreferenced_blob_is_removed_after_one_day(person):
    let_go, used_again = store(b"a"), store(b"b")
    assert garbage_collection.remove_unused() == 0
    Blob.objects.update(unused=timezone.now() - timedelta(hours=25))
    model = Model.objects.create(owner=person, content_id=used_again)

    assert garbage_collection.remove_unused() == 1

    assert stored() == {used_again}
    assert let_go not in stored()
    model.delete()
    assert garbage_collection.remove_unused() == 0, "its day begins anew"


def test_rendition_is_removed_with_its_source_blob_then_its_own_file(db):
    source, light = store(b"mesh"), store(b"preview")
    Rendition.objects.create(key="k", source_id=source, closed=True, content_id=light)

    assert garbage_collection.remove_unused(kept=timedelta()) == 1
    assert Rendition.objects.count() == 0
    assert garbage_collection.remove_unused(kept=timedelta()) == 1

    assert stored() == set()


def test_create_row_raises_when_blob_was_removed_before_it_was_recorded(db):
    store(b"a")
    with blobs.scratch_dir() as folder:
        kept = blobs.store_file(written(b"a", folder))
        garbage_collection.remove_unused(kept=timedelta())

        with pytest.raises(FileNotFoundError):
            blobs.create_row(*kept)


def test_garbage_collection_spares_blob_of_uncommitted_row(transactional_db, person):
    sha256 = store(b"a")
    recorded, go_on = threading.Event(), threading.Event()

    def refer() -> None:
        with transaction.atomic():
            blobs.create_row(sha256, 1)
            recorded.set()
            go_on.wait(TIMEOUT)
            Model.objects.create(owner=person, content_id=sha256)
        connection.close()

    thread = threading.Thread(target=refer)
    thread.start()
    recorded.wait(TIMEOUT)
    removed = garbage_collection.remove_unused(kept=timedelta())
    go_on.set()
    thread.join()

    assert removed == 0
    assert stored() == {sha256}


def test_concurrent_store_and_garbage_collection_lose_no_blob(transactional_db, person, tmp_path):
    contents = [bytes([number]) for number in range(3)]
    problems: list[str] = []
    over = threading.Event()

    def come_and_go(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(40):
            data = chance.choice(contents)
            sha256 = hashlib.sha256(data).hexdigest()
            try:
                with blobs.scratch_dir() as folder:
                    path = written(data, folder)
                    if chance.random() < 0.5:
                        blobs.store_file(path)
                        place = None
                    else:
                        place = lambda p=path, s=sha256: blobs.place(p, s, 1)  # noqa: E731
                    with transaction.atomic():
                        key = blobs.create_row(sha256, 1, place=place)
                        model = Model.objects.create(owner=person, content_id=key)
            except (FileNotFoundError, IntegrityError):
                continue  # a worker would do it again
            if not default_storage.exists(blob_name(sha256)):
                problems.append(sha256)
            model.delete()
        connection.close()

    def sweep() -> None:
        while not over.is_set():
            garbage_collection.remove_unused(kept=timedelta())
        connection.close()

    storing = [threading.Thread(target=come_and_go, args=(seed,)) for seed in range(4)]
    removing = [threading.Thread(target=sweep) for _ in range(2)]
    for thread in (*storing, *removing):
        thread.start()
    for thread in storing:
        thread.join()
    over.set()
    for thread in removing:
        thread.join()

    assert problems == []
    assert stored() <= {hashlib.sha256(data).hexdigest() for data in contents}
    garbage_collection.remove_unused(kept=timedelta())
    assert stored() == set()
