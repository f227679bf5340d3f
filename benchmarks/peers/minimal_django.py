"""The peer of request_path: the plainest Django + DRF views that run the same queries.

No hosts, no rights, no validation beyond a serializer, no locations to sign: the least that an
answer with the same rows can cost.
"""

import base64
from uuid import UUID

import orjson
from django.db import connection
from django.urls import path
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import AllowAny
from rest_framework.response import Response
from rest_framework.views import APIView

from apps.warehouse.models import Model
from core.api.renderers import Renderer

COLUMNS = (
    "uuid, owner_id, name, type, status, errors, may_resize, may_rotate, unit, created, updated,"
    " content_id, file_size, analyses, picture_id"
)
FAMILY = (
    ", ARRAY(SELECT to_model_id FROM warehouse_model_parents p WHERE p.from_model_id = m.uuid),"
    " ARRAY(SELECT from_model_id FROM warehouse_model_parents c WHERE c.to_model_id = m.uuid)"
)
NAMES = [*COLUMNS.replace(" ", "").split(","), "parents", "children"]
TOKEN = (
    "SELECT t.secret_sha256, u.uuid, u.* FROM users_apitoken t"
    " JOIN users_user u ON u.uuid = t.user_id WHERE t.uuid = %s"
)


class NameSerializer(serializers.Serializer):
    name = serializers.CharField(max_length=255)


class Bare(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    renderer_classes = (Renderer,)
    content_negotiation_class = DefaultContentNegotiation

    def token(self, request, cursor):
        pair = base64.b64decode(request.META["HTTP_AUTHORIZATION"].partition(" ")[2]).decode()
        cursor.execute(TOKEN, (UUID(pair.partition(":")[0]),))
        return cursor.fetchone()


class BareModel(Bare):
    def get(self, request, uuid):
        with connection.cursor() as cursor:
            self.token(request, cursor)
            cursor.execute(
                f"SELECT {COLUMNS}{FAMILY} FROM warehouse_model m WHERE m.uuid = %s", (uuid,)
            )
            row = cursor.fetchone()
        resource = dict(zip(NAMES, row, strict=True))
        resource["analyses"] = orjson.loads(resource["analyses"])
        return Response(resource)


class BareModels(Bare):
    def get(self, request):
        with connection.cursor() as cursor:
            owner = self.token(request, cursor)
            cursor.execute(
                f"SELECT {COLUMNS}{FAMILY} FROM warehouse_model m WHERE m.deleted IS NULL"
                " ORDER BY m.uuid DESC LIMIT 101"
            )
            rows = cursor.fetchall()
            cursor.execute(
                "SELECT count(*) FROM (SELECT 1 FROM warehouse_model WHERE deleted IS NULL"
                " LIMIT 10001) t"
            )
            (count,) = cursor.fetchone()
        assert owner
        resources = [dict(zip(NAMES, row, strict=True)) for row in rows[:100]]
        for resource in resources:
            resource["analyses"] = orjson.loads(resource["analyses"] or "null")
        return Response({"meta": {"count": count}, "resources": resources})

    def post(self, request):
        serializer = NameSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        with connection.cursor() as cursor:
            owner = self.token(request, cursor)
            model = Model.objects.create(owner_id=owner[1], name=serializer.validated_data["name"])
        return Response({"uuid": model.pk, "name": model.name, "status": model.status}, 201)


urlpatterns = [
    path("model/<uuid:uuid>/", BareModel.as_view()),
    path("model/", BareModels.as_view()),
]


def only_bare(get_response):
    """A middleware that sends every request to the views above."""

    def middleware(request):
        request.urlconf = "benchmarks.peers.minimal_django"
        return get_response(request)

    return middleware
