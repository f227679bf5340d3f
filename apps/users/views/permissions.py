"""Views: permissions, and checks of them."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db.models import Q, QuerySet
from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request

from apps.users.domain.rights import Question
from apps.users.models import Permission, User
from apps.users.models.permission import named
from apps.users.serializers.permission import (
    COLUMNS,
    AnswersAnswer,
    PermissionAnswer,
    PermissionSerializer,
    PersonAnswer,
    QuestionAnswer,
    QuestionSerializer,
    QuestionsSerializer,
    permission_resource,
)
from apps.users.services import permission_queries, permissions
from core.api.lists import list_queries
from core.api.lists.list_queries import BadQuery, Column, ListOptions
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.errors import InvalidFields, NotFound


def names(field: str) -> Callable[[str], Q]:
    """A condition on holder or object: it is one of these, in whatever form they are written."""

    def condition(value: str) -> Q:
        found = Q()
        for uri in value.split(","):
            found |= Q(**named(field, uri))
        return found

    return condition


def _ignored(value: str) -> Q:
    return Q()


FOUR_STRINGS = ("holder", "namespace", "object", "right")
STRINGS = ListOptions(
    filters={
        "namespace": Column("namespace", str),
        "right": Column("right", str),
        "created_by": Column("created_by", list_queries.key_in_uri),
        "created": Column("created", list_queries.time, ordered=True),
    },
    sort={"created": "uuid"},
    plain={
        "filter[holder]": names("holder"),
        "filter[object]": names("object"),
        "filter[resource_name]": _ignored,  # old clients send it
    },
)


class PermissionViewSet(ResourceViewSet):
    kind = Permission
    serializer_class = PermissionSerializer
    represent = staticmethod(permission_resource)
    writes = permissions
    listing = STRINGS

    def rows(self) -> QuerySet[Permission]:
        given = self.request.query_params
        asked = [name for name in FOUR_STRINGS if given.get(f"filter[{name}]")]
        return permission_queries.listed(user=self.caller, asked=asked)

    def row(self, uuid: UUID) -> Permission:
        found = permission_queries.find_permission(user=self.caller, uuid=uuid)
        if found is None:
            raise NotFound("There is no such permission, or not for you.")
        return found

    def may(self, row: Permission, right: str) -> bool:
        if right == "delete":
            return permissions.may_revoke(self.caller, row)
        return permissions.may_change(self.caller, row)


class CheckView(ApiView):
    """Whether a holder may do something: one question, or `questions` with up to 100."""

    says = {"post": "Check permissions"}
    only_asks = True

    @extend_schema(
        request=PolymorphicProxySerializer(
            component_name="OneOrManyQuestions",
            serializers=[QuestionSerializer, QuestionsSerializer],
            resource_type_field_name=None,
        ),
        responses={200: QuestionAnswer | AnswersAnswer},
    )
    def post(self, request: Request) -> Response:
        many = "questions" in request.data
        serializer = (QuestionsSerializer if many else QuestionSerializer)(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data
        asked = [
            Question(**{"holder": self.caller.uri, **question})
            for question in (values["questions"] if many else [values])
        ]
        allowed = permission_queries.check(user=self.caller, questions=asked)
        answers = [
            {**question._asdict(), "allowed": answer}
            for question, answer in zip(asked, allowed, strict=True)
        ]
        return Response({"answers": answers} if many else answers[0])


class WhoCanViewSet(ResourceViewSet):
    """Holders of a right on an object: permissions, or with `open_groups=true` users."""

    says = {"list": "List holders of a right on an object"}
    kind = Permission
    asked = ("namespace", "right", "object")
    # In the order of the index, so that a page of a busy object's holders is read, not sorted.
    listing = ListOptions(
        sort={},
        plain=dict.fromkeys((*asked, "open_groups"), _ignored),
        key="holder_uuid",
        ties=("-uuid",),
    )

    def list(self, request: Request, **keys: Any) -> Response:
        if self.groups_opened():
            self.listing = ListOptions(sort={}, plain=self.listing.plain)
        return super().list(request, **keys)

    def kind_listed(self) -> str:
        return "user" if self.groups_opened() else "permission"

    def groups_opened(self) -> bool:
        return list_queries.flag(self.request.query_params, "open_groups")

    def rows(self) -> QuerySet:
        given = self.request.query_params
        missing = [name for name in self.asked if not given.get(name)]
        if missing:
            raise InvalidFields(
                [
                    BadQuery(f"Say which {name} is meant.", code="missing-parameter", field=name)
                    for name in missing
                ]
            )
        question = {
            "user": self.caller,
            "namespace": given["namespace"],
            "right": given["right"],
            "on": given["object"],
        }
        if self.groups_opened():
            return permission_queries.people(**question)
        return permission_queries.holders(**question).values_list(*COLUMNS, named=True)

    def represent(self, row: Any) -> PermissionAnswer | PersonAnswer:
        if isinstance(row, User):
            return {"uri": row.uri, "holder": row.uri}
        return permission_resource(row)


class WhatCanViewSet(ResourceViewSet):
    """Permissions of a holder, by default the caller, also through groups."""

    says = {"list": "List objects on which a holder has a right"}
    kind = Permission
    represent = staticmethod(permission_resource)
    listing = ListOptions(
        filters=STRINGS.filters,
        sort=STRINGS.sort,
        plain={
            "holder": _ignored,
            "namespace": lambda value: Q(namespace=value),
            "right": lambda value: Q(right=value),
            "object": names("object"),
            "filter[object]": names("object"),
        },
    )

    def rows(self) -> QuerySet[Permission]:
        holder = self.request.query_params.get("holder") or self.caller.uri
        return permission_queries.holdings(user=self.caller, holder=holder)
