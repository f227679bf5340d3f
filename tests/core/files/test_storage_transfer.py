"""Files are checked, listed and copied from one storage to another; jobs wait for them."""

import hashlib

import pytest
from django.core.management import CommandError, call_command

from apps.warehouse.models import Model
from core.files import blobs, storage
from core.files.storage import health
from core.files.storage.errors import FileMissing, StorageOutage
from core.files.storage.local import LocalBackend
from core.files.storage.migrating import MigratingBackend
from core.files.storage.scrub import scrub
from core.files.storage.transfer import Transfer
from core.models import Blob, DamagedFile
from core.queue.storage_retries import (
    LATEST,
    MAX_OUTAGE_SECONDS,
    OUTAGE_SINCE_OPTION,
    StorageOutageRetries,
    backoff,
)
from tests.core.memory_bucket import kept, overwrite, written

# ---------------------------------------------------------------- jobs


class Broker:
    """Takes down what is sent again."""

    def __init__(self):
        self.sent = []

    def get_actor(self, name):
        return type("Actor", (), {"options": {}})()

    def enqueue(self, message, delay):
        self.sent.append(delay)


class Message:
    message_id = "1"
    actor_name = "analyse_model"

    def __init__(self):
        self.options = {}
        self.failed = False

    def fail(self):
        self.failed = True


def test_storage_outage_retries_do_not_count_as_failures():
    broker, message = Broker(), Message()
    retries = StorageOutageRetries(max_retries=3)

    for _ in range(50):
        retries.after_process_message(broker, message, exception=StorageOutage("away"))
    assert (len(broker.sent), message.failed, message.options.get("retries")) == (50, False, None)

    for _ in range(4):
        retries.after_process_message(broker, message, exception=ValueError())
    assert message.failed


def test_job_fails_permanently_when_storage_outage_exceeds_its_limit():
    broker, message = Broker(), Message()
    retries = StorageOutageRetries(max_retries=0)
    retries.after_process_message(broker, message, exception=FileMissing("lost"))
    message.options[OUTAGE_SINCE_OPTION] -= MAX_OUTAGE_SECONDS + 1

    retries.after_process_message(broker, message, exception=FileMissing("lost"))

    assert message.failed


def test_storage_outage_backoff_grows_to_its_maximum():
    assert backoff(0) < 3
    assert 10 < backoff(60) < 20
    assert backoff(10_000) == LATEST


# ---------------------------------------------------------------- check, copy, list


def test_scrub_reports_damaged_files_with_their_resources(bucket, db, person, capsys):
    good, lost, cut, changed = (kept(word) for word in (b"good", b"lost", b"short", b"other"))
    model = Model.objects.create(owner=person, content_id=lost)
    bucket.delete(lost)
    overwrite(bucket, cut, b"s")
    overwrite(bucket, changed, b"OTHER")

    assert scrub(bucket).damaged == {lost: "lost", cut: "corrupt"}
    with pytest.raises(CommandError) as found:
        call_command("storage", "check", "--deep")

    assert f"of {model.uri} (content)" in str(found.value)
    assert changed in str(found.value)
    assert good not in str(found.value)
    assert DamagedFile.objects.count() == 3

    for sha256, data in ((lost, b"lost"), (cut, b"short"), (changed, b"other")):
        overwrite(bucket, sha256, data)
    call_command("storage", "check", "--deep")
    assert not DamagedFile.objects.exists()


def test_storage_transfer_copies_each_file_once_in_both_directions(bucket, db, tmp_path):
    folder, elsewhere = LocalBackend(tmp_path / "here"), LocalBackend(tmp_path / "there")
    contents = {hashlib.sha256(data).hexdigest(): data for data in (b"a", b"bb", b"ccc")}
    for sha256, data in contents.items():
        folder.put(written(data), sha256, len(data))
        Blob.objects.create(sha256=sha256, size=len(data))
    (folder.path("0" * 64)).parent.mkdir(parents=True, exist_ok=True)
    (folder.path("0" * 64)).write_bytes(b"no row knows it")

    def copied(old, new) -> tuple[int, int]:
        run = Transfer(old, new, scratch=blobs.scratch_dir)
        for _ in run.run():
            pass
        return run.done.copied, run.done.there

    assert copied(folder, bucket) == (3, 0)
    assert copied(folder, bucket) == (0, 3)
    assert copied(bucket, elsewhere) == (3, 0)
    assert {s: elsewhere.path(s).read_bytes() for s in contents} == contents
    assert bucket.size("0" * 64) is None


def test_storage_transfer_skips_corrupt_file(bucket, db, tmp_path):
    folder = LocalBackend(tmp_path / "here")
    sha256 = hashlib.sha256(b"right").hexdigest()
    folder.put(written(b"wrong"), sha256, 5)
    Blob.objects.create(sha256=sha256, size=5)

    run = Transfer(folder, bucket, scratch=blobs.scratch_dir)
    for _ in run.run():
        pass

    assert list(run.done.failed) == [sha256]
    assert bucket.size(sha256) is None


def test_migrating_backend_reads_both_storages_and_writes_the_new_one(bucket, db, tmp_path):
    folder = LocalBackend(tmp_path / "old")
    old = hashlib.sha256(b"old").hexdigest()
    folder.put(written(b"old"), old, 3)
    both = MigratingBackend(bucket, folder)

    both.put(written(b"new"), new := hashlib.sha256(b"new").hexdigest(), 3)

    for sha256, data in ((old, b"old"), (new, b"new")):
        with both.local(sha256) as path:
            assert path.read_bytes() == data
        assert b"".join(both.open(sha256).chunks(0, 3)) == data
    assert (bucket.size(new), folder.size(new), bucket.size(old)) == (3, None, None)


def test_file_list_of_backup_is_checked_without_database_rows(bucket, db, tmp_path, capsys):
    sha256 = kept(b"saved")
    call_command("storage", "list")
    path = tmp_path / "files.txt"
    path.write_text(capsys.readouterr().out)
    Blob.objects.all().delete()

    call_command("storage", "check", "--deep", "--list", str(path))
    bucket.delete(sha256)
    with pytest.raises(CommandError, match="1 are damaged"):
        call_command("storage", "check", "--list", str(path))


def test_local_storage_needs_no_health_check(db):
    assert not storage.current().remote
    assert health.storage_error() == ""
