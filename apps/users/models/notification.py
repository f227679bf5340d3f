"""Notification: something that happened and that a person can act on, with its read state."""

from django.db import models
from django.db.models import Q

from apps.users.models.user import User
from core.model_fields import DatabaseTimeField
from core.resources import Resource


class Notification(Resource):
    """What happened to a resource, for one person; while it is unread, repeats are counted.

    shop    : URI of the bureau; empty for what belongs to none
    subject : URI of the resource
    data    : names and numbers of its sentence, which is made in the language of the reader
    count   : how often it happened before it was read; updated: the last time
    """

    SERVICE = "users"
    KIND = "notification"

    class Kind(models.TextChoices):
        ORDER_RECEIVED = "order-received"
        ORDER_REVIEW = "order-review"
        QUOTE_ACCEPTED = "quote-accepted"
        APPROVAL_DECLINED = "approval-declined"
        DOCUMENT_NOT_ISSUED = "document-not-issued"
        PRINT_DECISION = "print-decision"
        PRINTER_ATTENTION = "printer-attention"
        BED_TO_CLEAR = "bed-to-clear"
        MATERIAL_LOW = "material-low"
        MAINTENANCE_DUE = "maintenance-due"
        JOB_FAILED = "job-failed"

    recipient = models.ForeignKey(User, on_delete=models.CASCADE, related_name="notifications")
    kind = models.CharField(max_length=32, choices=Kind)
    shop = models.CharField(max_length=500, blank=True)
    subject = models.CharField(max_length=500)
    data = models.JSONField(default=dict)
    count = models.PositiveIntegerField(default=1)
    updated = DatabaseTimeField(auto_now=True)
    read = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            # Also finds what is settled for everybody, by its subject.
            models.UniqueConstraint(
                fields=["subject", "kind", "recipient"],
                name="notification_unread_once",
                condition=Q(read=None),
            )
        ]
        indexes = [
            models.Index(fields=["recipient", "updated", "uuid"], name="notification_of_person"),
            models.Index(
                fields=["recipient", "-updated"],
                name="notification_unread",
                condition=Q(read=None),
            ),
            models.Index(fields=["updated"], name="notification_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.subject}"
