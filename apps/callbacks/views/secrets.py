"""Views: signing secrets."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.callbacks.models import WebhookSecret
from apps.callbacks.serializers.secret import WebhookSecretAnswer, secret_resource
from apps.callbacks.services import secrets
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class WebhookSecretViewSet(ResourceViewSet):
    kind = WebhookSecret
    repeatable = False
    listing = ListOptions(
        filters={
            "created": Column("created", list_queries.time, ordered=True),
            "expires": Column("expires", list_queries.time, ordered=True),
        },
        sort={"created": "uuid"},
    )

    def rows(self) -> QuerySet[WebhookSecret]:
        signing = Q(expires=None) | Q(expires__gt=timezone.now())
        return WebhookSecret.objects.filter(signing, owner=self.caller)

    def represent(self, row: WebhookSecret) -> WebhookSecretAnswer:
        # Who holds it can write what its receiver believes to come from us.
        read_only = getattr(self.request.auth, "read_only", False)
        return secret_resource(row, shown=not read_only)

    def perform_create(self, values: ValidatedData) -> WebhookSecret:
        return secrets.rotate(owner_id=self.caller.pk)

    def perform_destroy(self, row: WebhookSecret) -> None:
        secrets.end_secret(secret=row)
