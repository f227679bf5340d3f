"""Operation: one call of a service on a model."""

import hmac

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.core.signing import Signer
from django.db import models

from apps.integrations.models.service import Service
from core.models import Blob
from core.sharing import Shareable
from core.state_machine import Stateful
from core.uris import build_uri


class Operation(Shareable, Stateful):
    """One use of a service on a model."""

    SERVICE = "integrations"
    KIND = "operation"

    class Status(models.TextChoices):
        PROCESSING = "processing"
        COMPLETE = "complete"
        ERROR = "error"

    TRANSITIONS = {Status.PROCESSING: {Status.COMPLETE, Status.ERROR}}
    NEWS = {
        Status.COMPLETE: {
            "outputs.content": {"type": ["string", "null"], "format": "uri"},
            "outputs.type": {"type": ["string", "null"]},
            "outputs.receipt": {},
            "outputs.models": {"type": "array", "items": {"type": "string", "format": "uri"}},
            "results": {"type": ["string", "null"], "format": "uri"},
            "result": {"type": ["string", "null"], "format": "uri"},
        },
        Status.ERROR: {
            "outputs.title": {"type": "string"},
            "outputs.code": {"type": "string"},
            "outputs.details": {},
        },
    }

    service = models.ForeignKey(Service, on_delete=models.PROTECT, related_name="operations")
    model_uri = models.CharField(max_length=500, db_index=True)
    parameters = models.JSONField()
    status = models.CharField(max_length=16, choices=Status, default=Status.PROCESSING)
    # Each request to the provider: when, and how it was answered; the last ones.
    attempts = models.JSONField(default=list, blank=True)
    # By when it must be over; set by the first request.
    deadline = models.DateTimeField(null=True, blank=True)
    # The provider's last sign of life, and its final report.
    heard = models.DateTimeField(null=True, blank=True)
    reported = models.DateTimeField(null=True, blank=True)
    # When `processing` was sent last, and when reports that came too quickly will be.
    told = models.DateTimeField(null=True, blank=True)
    tell_at = models.DateTimeField(null=True, blank=True)
    # What the provider uploaded, until the result model has it.
    upload = models.ForeignKey(
        Blob, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    # On complete the receipt; on error title, code and details.
    outputs = models.JSONField(null=True, blank=True)
    result_uri = models.CharField(max_length=500, blank=True, db_index=True)
    result_name = models.CharField(max_length=255, blank=True)
    result_type = models.CharField(max_length=8, blank=True)
    result_sha256 = models.CharField(max_length=64, blank=True)

    # URIs of all that it made, where that is more than one model can be; the first is the result.
    result_models = models.JSONField(
        default=list, db_default=models.Value([], models.JSONField()), blank=True
    )

    class Meta:
        indexes = [
            models.Index(fields=["owner", "uuid"], name="operation_owner"),
            GinIndex(
                fields=["result_models"], name="operation_models", opclasses=["jsonb_path_ops"]
            ),
        ]

    def __str__(self) -> str:
        return f"Operation {self.uuid}"

    @property
    def is_over(self) -> bool:
        """Whether it has reached a final state."""
        return self.status != self.Status.PROCESSING

    @property
    def made(self) -> list[str]:
        """URIs of the models that it made, judged or not, in their order."""
        return self.result_models or ([self.result_uri] if self.result_uri else [])

    @property
    def takes_apart(self) -> bool:
        """Whether it makes a model of each object in a file."""
        return self.parameters.get("parts") == "separate"

    @property
    def result(self) -> str | None:
        """Return the URI of the result model; None before the end, and where there is none."""
        return self.result_uri or None if self.status == self.Status.COMPLETE else None

    results = result  # the contract spells it both ways

    def report_location(self) -> str:
        """Where its provider reports: a capability, of no use without the service's secret."""
        path = build_uri("integrations", "operation-report", uuid=self.uuid)
        return f"{path}?signature={self._report_signature()}"

    def is_report_signature(self, given: str) -> bool:
        """Return whether `given` is the signature of this operation's report URL."""
        return hmac.compare_digest(given.encode(), self._report_signature().encode())

    def _report_signature(self) -> str:
        signer = Signer(key=settings.LOCATION_KEY, salt="operation report")
        return signer.signature(str(self.uuid))
