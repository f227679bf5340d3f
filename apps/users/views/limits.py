"""Views: quotas and usage of an account."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.users.models import User
from core.api.renderers import Response
from core.api.views import ApiView
from core.errors import NotFound
from core.queue import quotas


class LimitSerializer(serializers.Serializer):
    """A limit and its use: `null` as limit means unlimited, as use unknown."""

    limit = serializers.CharField()
    most = serializers.IntegerField(allow_null=True)
    used = serializers.IntegerField(allow_null=True)


class LimitsSerializer(serializers.Serializer):
    """All limits of an account."""

    limits = LimitSerializer(many=True)


class LimitsView(ApiView):
    """For the account itself, and for administrators."""

    says = {"get": "Get the quotas of an account and their usage"}
    serializer_class = LimitsSerializer

    @extend_schema(responses=LimitsSerializer)
    def get(self, request: Request, uuid: UUID) -> Response:
        user = User.objects.filter(pk=uuid, is_active=True).first()
        if user is None or not (self.caller.is_staff or self.caller.pk == user.pk):
            raise NotFound("There is no such user, or not for you.")
        found = [
            {"limit": name, "most": most, "used": quotas.usage(name, user)}
            for name, most in quotas.all_of(user).items()
        ]
        return Response({"limits": found})
