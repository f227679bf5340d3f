"""Origin (scheme, host, port): unit of concurrency caps and circuit breaking."""

from django.db import models


class Origin(models.Model):
    """A scheme, host and port that callbacks go to: it is reached or missed as a whole."""

    origin = models.CharField(max_length=300, unique=True)
    # While nobody can be reached there: since when, and when the next request may try.
    unreachable_since = models.DateTimeField(null=True)
    probe_at = models.DateTimeField(null=True)
    # Time-outs in a row.
    slow = models.IntegerField(default=0)

    def __str__(self) -> str:
        return self.origin


def key_of_origin(name: str) -> int:
    """The key of the origin with this name, which may be new."""
    known = Origin.objects.filter(origin=name).values_list("pk", flat=True).first()
    if known is not None:
        return known
    # Two accounts may name a new host at the same moment.
    Origin.objects.bulk_create([Origin(origin=name)], ignore_conflicts=True)
    return Origin.objects.get(origin=name).pk
