"""Views: one-time passwords."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.users.domain.authentication import credential_of
from apps.users.models import SecondFactor
from apps.users.serializers.session import (
    ConfirmationSerializer,
    SecondFactorSerializer,
    second_factor_resource,
)
from apps.users.services import second_factor
from core.api.fields import ValidatedData
from core.api.lists.list_queries import ListOptions
from core.api.renderers import Response
from core.api.views import ResourceViewSet


class SecondFactorViewSet(ResourceViewSet):
    """The caller's authenticator app: at most one."""

    kind = SecondFactor
    serializer_class = SecondFactorSerializer
    represent = staticmethod(second_factor_resource)
    repeatable = False
    listing = ListOptions(sort={"created": "uuid"})

    def rows(self) -> QuerySet[SecondFactor]:
        return SecondFactor.objects.filter(user=self.caller).select_related("user")

    def perform_create(self, values: ValidatedData) -> SecondFactor:
        return second_factor.set_up(
            user=self.caller, credential=credential_of(self.request), **values
        )

    @extend_schema(request=ConfirmationSerializer, responses={204: None})
    def update(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        """Activate a second factor with the first code."""
        row = self.row(uuid)
        serializer = ConfirmationSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        code = serializer.validated_data["one_time_password"]
        second_factor.confirm(factor=row, credential=credential_of(request), code=code)
        return Response(status=204)

    def destroy(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        """Remove a second factor, confirmed by the account password."""
        row = self.row(uuid)
        password = self.read(request)["password"]
        second_factor.remove(factor=row, credential=credential_of(request), password=password)
        return Response(status=204)
