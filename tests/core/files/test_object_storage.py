"""Files in a bucket: obstore's store in memory stands for a server that does all it should."""

import hashlib
import os
import threading
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import obstore
import pytest
from django.db import connection, transaction
from django.utils import timezone
from obstore.store import S3Store

from apps.warehouse.models import Model
from core.files import blobs
from core.files.signed_urls import download_url
from core.files.storage import cache, garbage_collection, health
from core.files.storage.errors import FileCorrupt, FileMissing, StorageOutage
from core.files.storage.presigned_urls import presigned
from core.files.storage.s3 import key
from core.files.storage_url import Address
from core.models import Blob, DamagedFile, PendingDeletion
from tests.core.memory_bucket import ADDRESS, kept, overwrite, written
from tests.files_host import OCTETS, ask

HOUR = timedelta(hours=1)


def cached() -> list[str]:
    return sorted(path.name for path in cache.folder().iterdir())


# ---------------------------------------------------------------- signatures


def test_presigned_url_matches_the_aws_example():
    address = Address(
        bucket="examplebucket",
        path_style=False,
        key="AKIAIOSFODNN7EXAMPLE",
        secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        endpoint="https://s3.amazonaws.com",
    )

    url = presigned(address, "test.txt", seconds=86400, now=datetime(2013, 5, 24, tzinfo=UTC))

    assert url.endswith(
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    )


def test_presigned_url_matches_obstore():
    objects = S3Store(
        "files",
        endpoint="http://s3.example",
        region="us-east-1",
        access_key_id="id",
        secret_access_key="s",
        virtual_hosted_style_request=False,
        client_options={"allow_http": True},
    )
    theirs = obstore.sign(objects, "GET", "p/blobs/a b", timedelta(seconds=60))
    moment = parse_qs(urlsplit(theirs).query)["X-Amz-Date"][0]
    now = datetime.strptime(moment, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)

    ours = presigned(ADDRESS, "p/blobs/a b", seconds=60, now=now)

    assert parse_qs(urlsplit(ours).query) == parse_qs(urlsplit(theirs).query)


# ---------------------------------------------------------------- in and out


def test_stored_blob_is_read_whole_in_ranges_and_as_local_copy(bucket, db):
    data = os.urandom(3_000_000)
    sha256 = kept(data)

    with blobs.local_copy(sha256) as path:
        assert path.read_bytes() == data
    assert blobs.read(sha256) == data
    assert blobs.read(sha256, 5, 10) == data[5:15]
    assert blobs.read(sha256, 2_999_999, 10) == data[-1:]
    assert bucket.sizes(sha256[:2]) == {sha256: len(data)}


def test_existing_blob_is_overwritten_only_when_its_size_differs(bucket, db):
    sha256 = kept(b"right")
    overwrite(bucket, sha256, b"wrong")
    kept(b"right")
    assert bytes(obstore.get(bucket._objects, key(sha256)).bytes()) == b"wrong"

    overwrite(bucket, sha256, b"cut")
    kept(b"right")
    assert bytes(obstore.get(bucket._objects, key(sha256)).bytes()) == b"right"


def test_corrupt_blob_is_never_returned_and_is_replaced_by_next_store(bucket, db):
    sha256 = kept(b"right")
    overwrite(bucket, sha256, b"wrong")

    with pytest.raises(FileCorrupt), blobs.local_copy(sha256):
        pass
    with pytest.raises(FileCorrupt):
        blobs.read(sha256)
    assert cached() == []
    assert list(DamagedFile.objects.values_list("pk", "what")) == [(sha256, "corrupt")]

    kept(b"right")
    assert blobs.read(sha256) == b"right"
    assert not DamagedFile.objects.exists()


def test_missing_blob_is_recorded_and_restored_by_next_store(bucket, db):
    sha256 = kept(b"right")
    bucket.delete(sha256)

    with pytest.raises(FileMissing), blobs.local_copy(sha256):
        pass
    assert DamagedFile.objects.get().what == "lost"

    kept(b"right")
    assert not DamagedFile.objects.exists()


# ---------------------------------------------------------------- never a row without its file


def test_store_file_is_rejected_within_a_transaction(bucket, transactional_db):
    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        blobs.store_file(written(b"a"))


def test_small_blob_is_uploaded_within_a_transaction(bucket, transactional_db):
    data = b"a config of a request that bears an Idempotency-Key"
    sha256 = hashlib.sha256(data).hexdigest()

    with transaction.atomic():
        place = blobs.upload_blob(written(data), sha256, len(data))
        blobs.create_row(sha256, len(data), place=place)

    assert bucket.size(sha256) == len(data)
    assert Blob.objects.filter(pk=sha256).exists()


def test_garbage_collection_spares_recently_touched_and_referenced_blobs(bucket, db, person):
    old, new, used = kept(b"old"), kept(b"new"), kept(b"used")
    Model.objects.create(owner=person, content_id=used)
    Blob.objects.exclude(pk=new).update(touched=timezone.now() - 25 * HOUR)

    assert garbage_collection.remove_unused(kept=timedelta()) == 1

    assert set(Blob.objects.values_list("pk", flat=True)) == {new, used}
    assert (bucket.size(old), bucket.size(new), bucket.size(used)) == (None, 3, 4)
    assert not PendingDeletion.objects.exists()


def test_interrupted_blob_deletion_is_completed_later(bucket, db, monkeypatch):
    sha256 = kept(b"old")
    Blob.objects.update(touched=None)

    def away(name: str) -> None:
        raise StorageOutage("away")

    with monkeypatch.context() as cut, pytest.raises(StorageOutage):
        cut.setattr(bucket, "delete", away)
        garbage_collection.remove_unused(kept=timedelta())
    assert (bucket.size(sha256), Blob.objects.count()) == (3, 0)

    PendingDeletion.objects.update(since=timezone.now() - HOUR)
    garbage_collection.remove_unused(kept=timedelta())

    assert (bucket.size(sha256), PendingDeletion.objects.count()) == (None, 0)


def test_touch_waits_until_pending_deletion_of_blob_is_done(bucket, db, monkeypatch):
    sha256 = kept(b"old")
    Blob.objects.update(touched=None)
    PendingDeletion.objects.create(sha256=sha256)
    monkeypatch.setattr(garbage_collection, "TIMEOUT", 0.2)
    with pytest.raises(StorageOutage):
        garbage_collection.touch(sha256, 3)
    assert Blob.objects.get().touched is None

    # The process that marked it has died.
    PendingDeletion.objects.update(since=timezone.now() - HOUR)
    garbage_collection.touch(sha256, 3)

    assert bucket.size(sha256) is None
    assert Blob.objects.get().touched is not None


def test_create_row_raises_when_blob_was_removed_before_it_was_recorded(bucket, db):
    file = blobs.store_file(written(b"a"))
    Blob.objects.update(touched=timezone.now() - 25 * HOUR)
    garbage_collection.remove_unused(kept=timedelta())

    with pytest.raises(FileNotFoundError):
        blobs.create_row(*file)


def test_concurrent_store_and_garbage_collection_lose_no_blob(
    bucket, transactional_db, person, monkeypatch
):
    """Nobody is spared for a day here, but for as long as a transaction with its row lasts."""
    monkeypatch.setattr(garbage_collection, "SPARED", timedelta(milliseconds=200))
    problems, over = [], threading.Event()

    def come_and_go(number: int) -> None:
        folder = blobs.incoming_folder() / str(number)
        folder.mkdir()
        for turn in range(20):
            path = folder / "file"
            path.write_bytes(data := bytes([turn % 3]))
            file = blobs.store_file(path)
            try:
                with transaction.atomic():
                    sha256 = blobs.create_row(*file)
                    model = Model.objects.create(owner=person, content_id=sha256)
            except FileNotFoundError:
                continue  # a worker would do it again
            if blobs.read(sha256) != data:
                problems.append(sha256)
            model.delete()

    def closing(function, *arguments) -> None:
        try:
            function(*arguments)
        finally:
            connection.close()

    def sweep() -> None:
        while not over.wait(0.01):
            garbage_collection.remove_unused(kept=timedelta())

    storing = [threading.Thread(target=closing, args=(come_and_go, n)) for n in range(3)]
    removing = threading.Thread(target=closing, args=(sweep,))
    for thread in (*storing, removing):
        thread.start()
    for thread in storing:
        thread.join()
    over.set()
    removing.join()

    assert problems == []


# ---------------------------------------------------------------- the cache


def test_cache_keeps_most_recently_read_and_open_files(bucket, db, settings):
    settings.FILES_CACHE = 25
    first, second, third = (kept(os.urandom(10)) for _ in range(3))
    with blobs.local_copy(first):
        pass
    with blobs.local_copy(second):
        os.utime(cache.folder() / second, (1, 1))  # held, though read longest ago
        with blobs.local_copy(third):
            pass
        assert cached() == sorted([second, third])

    fourth = kept(os.urandom(10))
    with blobs.local_copy(fourth):
        pass
    assert cached() == sorted([third, fourth])


def test_partial_download_of_killed_process_is_removed_from_cache(bucket, db):
    left, coming = (cache.folder() / f"{cache.PART}{name}" for name in ("left", "coming"))
    left.write_bytes(b"half")
    os.utime(left, (1, 1))
    coming.write_bytes(b"half")
    sha256 = kept(b"whole")

    with blobs.local_copy(sha256):
        pass

    assert cached() == sorted([sha256, coming.name])


# ---------------------------------------------------------------- the files host


def location(sha256: str, **options) -> str:
    return download_url(sha256, media_type="model/stl", filename="part ü.stl", **options)


def test_large_download_redirects_to_presigned_url_with_same_expiry(bucket, files_host):
    sha256 = kept(os.urandom(1_100_000))

    led = ask("GET", location(sha256, seconds=100), {"Range": "bytes=0-9"})

    assert (led.status, led.headers["cache-control"]) == (307, "no-store")
    assert led.headers["etag"] == f'"{sha256}"'
    asked = parse_qs(urlsplit(led.headers["location"]).query)
    assert 90 <= int(asked["X-Amz-Expires"][0]) <= 100
    assert asked["response-content-type"] == ["model/stl"]
    assert "filename*=UTF-8''part%20%C3%BC.stl" in asked["response-content-disposition"][0]
    assert led.headers["location"].startswith(f"http://s3.example/files/p/blobs/{sha256[:2]}/")


@pytest.mark.parametrize(
    ("size", "method", "headers", "direct"),
    [
        (10, "GET", {}, True),
        (1_100_000, "HEAD", {}, True),
        (1_100_000, "GET", {"Origin": "http://a.example"}, True),
        (1_100_000, "GET", {"Prefer": "return=representation"}, True),
        (1_100_000, "GET", {}, False),
    ],
)
def test_small_head_cross_origin_and_indirect_downloads_are_proxied(
    bucket, files_host, settings, size, method, headers, direct
):
    settings.FILES_DIRECT = direct
    data = os.urandom(size)

    answer = ask(method, location(kept(data)), headers)

    assert (answer.status, answer.headers["content-length"]) == (200, str(size))
    assert answer.body == (data if method == "GET" else b"")


def test_range_request_is_proxied_from_bucket(bucket, files_host):
    answer = ask("GET", location(kept(b"0123456789")), {"Range": "bytes=2-4"})

    assert (answer.status, answer.body) == (206, b"234")


def test_missing_file_returns_503_and_deleted_file_returns_404(bucket, files_host):
    sha256 = kept(b"gone")
    bucket.delete(sha256)
    assert ask("GET", location(sha256), {}).rejection == (503, "storage-lost")

    Blob.objects.all().delete()
    assert ask("GET", location(sha256), {}).rejection == (404, "resource-not-found")


def test_upload_is_rejected_during_storage_outage_and_accepted_after(
    bucket, files_host, models, created, monkeypatch
):
    where = created["X-Upload-Location"]
    monkeypatch.setattr(health, "FRESH", 0)
    with monkeypatch.context() as outage:
        outage.setattr(bucket, "check", lambda: "it is away")

        answer = ask("PUT", where, OCTETS, b"solid")

        assert answer.rejection == (503, "storage-unavailable")
        assert answer.headers["retry-after"] == "10"
    assert ask("PUT", where, OCTETS, b"solid").status == 204
    assert bucket.size(hashlib.sha256(b"solid").hexdigest()) == 5
