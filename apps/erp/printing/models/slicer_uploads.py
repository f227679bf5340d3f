"""Keys by which slicers send files to a bureau, and the files that they sent."""

import hashlib
from typing import ClassVar

from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, ForeignUriField, name_field, user_field
from apps.erp.base.models.abstract import BureauResource
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.models.runs import Run
from core.outbound.stored_secrets import decrypted, encrypted
from core.state_machine import Stateful


class SlicerKey(BureauResource):
    """A key by which a slicer sends files to a bureau, in the name of its creator.

    printer_type : what the slicer's G-code is for; null: the type that the G-code states
    last_used    : time of the last request
    secret_sha256, sealed_secret : hashed and encrypted secret; HTTP digest needs the secret itself
    """

    KIND = "slicer-key"
    READ_ONLY = frozenset({"last_used"})
    PRIVATE = frozenset({"creator", "secret_sha256", "sealed_secret"})

    name = name_field()
    printer_type = BureauForeignKey(PrinterType, null=True, blank=True)
    last_used = models.DateTimeField(null=True, blank=True)
    secret_sha256 = models.BinaryField(max_length=32, null=True, unique=True, editable=False)
    sealed_secret = models.BinaryField(null=True, editable=False)
    creator = user_field()

    def set_secret(self, secret: str) -> None:
        """Set the secret, hashed and encrypted."""
        self.secret_sha256 = hashed(secret)
        self.sealed_secret = encrypted(secret, row=self._secret_name)

    @property
    def password(self) -> str:
        """The secret; empty without one, for those of earlier versions, and if undecryptable."""
        return decrypted(bytes(self.sealed_secret or b""), row=self._secret_name)

    @property
    def _secret_name(self) -> str:
        return f"{self.KIND} {self.pk}"


class ReceivedFile(BureauResource, Stateful):
    """A file that a slicer sent to a bureau: G-code, or a model.

    print_requested : whether the slicer asked for a print
    gcode, model : what became of the file; one of them
    run      : that prints the G-code; null until there is one
    errors   : why the file is rejected, or why no run was created
    """

    class Status(models.TextChoices):
        PROCESSING = "processing"
        WAITING = "waiting"
        DONE = "done"
        ERROR = "error"

    TRANSITIONS = {
        Status.PROCESSING: {Status.WAITING, Status.DONE, Status.ERROR},
        Status.WAITING: {Status.DONE},
    }

    KIND = "received-file"

    name = name_field()
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    slicer_key = models.ForeignKey(
        SlicerKey, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    slicer = models.CharField(max_length=200, blank=True, default="")
    print_requested = models.BooleanField(default=False)
    gcode_uri = ForeignUriField(kind="gcode", null=True, blank=True, db_index=True)
    model_uri = ForeignUriField(kind="model", null=True, blank=True)
    run = models.ForeignKey(Run, models.SET_NULL, null=True, blank=True, related_name="+")
    errors = models.JSONField(null=True, blank=True)
    creator = user_field()

    PRIVATE = frozenset({"creator"})
    SORTED: ClassVar[tuple[str, ...]] = ("name",)

    class Meta(BureauResource.Meta):
        indexes = [
            *BureauResource.Meta.indexes,
            models.Index(fields=["bureau", "status", "uuid"], name="received_file_status"),
        ]


def hashed(secret: str) -> bytes:
    """How the secret of a key is stored."""
    return hashlib.sha256(secret.encode()).digest()
