"""Sender uptime in ticks, and the leader's advisory lock."""

from django.db import models
from django.db.models.functions import Coalesce

from core.queue.broker import slot_id

SENDER_LOCK = 0x63616C6C  # an advisory lock


def sender_name() -> str:
    """Return this machine's name as a sender; another machine's sender stands by."""
    return f"send_callbacks {slot_id('sender')}"


class SenderClock(models.Model):
    """The time the sender has been at work, in whole CALLBACK_INTERVALs: a single row.

    Lifetimes are counted by it as well as by the wall clock, so that neither a clock that jumps
    nor an outage of ours takes from a receiver's time.
    """

    ticks = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return str(self.ticks)

    @classmethod
    def now(cls) -> Coalesce:
        """An expression: the ticks so far."""
        return Coalesce(models.Subquery(cls.objects.values("ticks")[:1]), 0)
