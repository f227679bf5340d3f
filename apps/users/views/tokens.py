"""Views: API tokens."""

from django.db.models import Q, QuerySet

from apps.users.domain.authentication import credential_of
from apps.users.models import ApiToken
from apps.users.serializers.token import ApiTokenSerializer, token_resource
from apps.users.services import tokens
from core.api.fields import ValidatedData
from core.api.lists import list_queries
from core.api.lists.list_queries import Column, ListOptions
from core.api.views import ResourceViewSet


class ApiTokenViewSet(ResourceViewSet):
    kind = ApiToken
    serializer_class = ApiTokenSerializer
    represent = staticmethod(token_resource)
    repeatable = False
    listing = ListOptions(
        filters={
            "name": Column("name"),
            "read_only": Column("read_only", list_queries.boolean),
            "created": Column("created", list_queries.time, ordered=True),
            "expires": Column("expires", list_queries.time, ordered=True),
            "last_used": Column("last_used", list_queries.time, ordered=True),
        },
        search={"name": "name"},
        sort={"created": "uuid", "name": "name"},
    )

    def rows(self) -> QuerySet[ApiToken]:
        caller = self.caller
        shown = Q(user=caller)
        if caller.is_staff:
            shown |= Q(user__is_platform_service=True)
        return ApiToken.objects.filter(shown).select_related("user")

    def perform_create(self, values: ValidatedData) -> ApiToken:
        return tokens.create_token(
            actor=self.caller, credential=credential_of(self.request), **values
        )

    def perform_update(self, row: ApiToken, values: ValidatedData) -> None:
        tokens.update_token(token=row, credential=credential_of(self.request), **values)

    def perform_destroy(self, row: ApiToken) -> None:
        tokens.revoke_token(token=row, actor=self.caller)
