"""Tables of the core: blobs, counters, quotas, usage, server errors, job starts, queue probes."""

from django.conf import settings
from django.core.validators import MinValueValidator
from django.db import models

from core.keys import uuid7
from core.model_fields import DatabaseTimeField


class Blob(models.Model):
    """A stored file, stored once under its hash; rows of any service refer to it.

    touched : start of the last upload to a remote storage
    unused  : since when housekeeping has found no reference to it
    """

    sha256 = models.CharField(primary_key=True, max_length=64)
    size = models.BigIntegerField()
    created = DatabaseTimeField(auto_now_add=True)
    touched = models.DateTimeField(null=True)
    unused = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.sha256

    @property
    def name(self) -> str:
        """Its name in Django's default storage."""
        return blob_name(self.sha256)


def blob_name(sha256: str) -> str:
    """Return the name of the file with this hash in Django's default storage."""
    return f"blobs/{sha256[:2]}/{sha256}"


class PendingDeletion(models.Model):
    """A file whose row is deleted, and which is still to be deleted from a remote storage."""

    sha256 = models.CharField(primary_key=True, max_length=64)
    since = DatabaseTimeField(auto_now_add=True)

    class Meta:
        db_table = "core_doomedfile"  # the class had another name: tables keep theirs

    def __str__(self) -> str:
        return self.sha256


class DamagedFile(models.Model):
    """A stored file that is missing or corrupt; deleted once it was read intact."""

    class What(models.TextChoices):
        LOST = "lost"
        CORRUPT = "corrupt"

    sha256 = models.CharField(primary_key=True, max_length=64)
    what = models.CharField(max_length=8, choices=What)
    found = DatabaseTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.sha256}: {self.what}"


class IdempotentAnswer(models.Model):
    """The response to a POST with an Idempotency-Key, for its repeats."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=255)
    fingerprint = models.BinaryField(max_length=32)
    status = models.SmallIntegerField(null=True)
    headers = models.JSONField(null=True)
    body = models.BinaryField(null=True)
    created = DatabaseTimeField(auto_now_add=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "key"], name="idempotency_key")]

    def __str__(self) -> str:
        return self.key


class Counter(models.Model):
    """How often something happened in a window of time, for throttles."""

    key = models.CharField(max_length=200)
    window = models.BigIntegerField()
    count = models.IntegerField(default=0)
    updated = DatabaseTimeField(auto_now=True, db_index=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["key", "window"], name="counter_window")]

    def __str__(self) -> str:
        return f"{self.key}: {self.count}"


class Limit(models.Model):
    """A limit of an account, of the members of a group, or of all accounts.

    holder : key of a user or of a group, such as a bureau's; null for all
    most   : null for no limit
    """

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    holder = models.UUIDField(
        null=True, blank=True, help_text="Key of a user, or of a group; empty: everybody."
    )
    limit = models.CharField(max_length=64)
    most = models.BigIntegerField(
        null=True, blank=True, validators=[MinValueValidator(0)], help_text="Empty: no limit."
    )
    note = models.CharField(max_length=200, blank=True)
    created = DatabaseTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["holder", "limit"], name="limit_of_holder", nulls_distinct=False
            )
        ]

    def __str__(self) -> str:
        return f"{self.limit} of {self.holder or 'everybody'}"


class Usage(models.Model):
    """The bytes that an account keeps: written by triggers on the rows that name its files.

    What they lost, or counted twice, is put right each night (`core.files.usage`).
    """

    account = models.UUIDField(primary_key=True)
    bytes = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.account}: {self.bytes}"


class ServerError(models.Model):
    """A request that failed with a 500, kept for 30 days under its Request-ID.

    path    : with its host; possible secrets are replaced by their names
    account : key of the caller, if known
    """

    uuid = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    number = models.CharField("Request-ID", max_length=128, db_index=True)
    method = models.CharField(max_length=16)
    path = models.CharField(max_length=500)
    account = models.UUIDField(null=True)
    exception = models.CharField(max_length=300)
    trace = models.TextField()
    created = DatabaseTimeField(auto_now_add=True, db_index=True)

    class Meta:
        db_table = "core_fault"  # the class had another name: tables keep theirs

    def __str__(self) -> str:
        return f"{self.number}: {self.exception}"


class JobStart(models.Model):
    """A message whose work has started and not ended; after several starts it is given up."""

    message = models.UUIDField(primary_key=True, default=uuid7)
    starts = models.SmallIntegerField(default=0)
    last = DatabaseTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.message}: {self.starts}"


class JobPace(models.Model):
    """Recent real and declared durations of an actor's jobs, in seconds."""

    actor = models.CharField(primary_key=True, max_length=100)
    told = models.FloatField()
    taken = models.FloatField()

    class Meta:
        db_table = "core_pace"  # the class had another name: tables keep theirs

    def __str__(self) -> str:
        return f"{self.actor}: {self.taken:g} of {self.told:g} s"


class QueueProbe(models.Model):
    """Latest probe of a queue: when it was sent, and when and by which worker one completed."""

    queue = models.CharField(primary_key=True, max_length=100)
    sent = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    worker = models.UUIDField(null=True)

    class Meta:
        db_table = "core_canary"  # the class had another name: tables keep theirs

    def __str__(self) -> str:
        return self.queue
