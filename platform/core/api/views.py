"""Base API view and generic resource viewset."""

import functools
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar
from uuid import UUID

from django.conf import settings
from django.db.models import Model, QuerySet
from django.http import HttpResponse
from rest_framework.exceptions import MethodNotAllowed
from rest_framework.request import Request
from rest_framework.views import APIView
from rest_framework.viewsets import ViewSetMixin

from core.api.fields import StrictSerializer, ValidatedData
from core.api.get_body import NOTHING, READING, query_of
from core.api.idempotency import answer_once
from core.api.lists.list_queries import BadQuery, ListOptions
from core.api.lists.pagination import asked_url, page
from core.api.openapi.response_types import members_of
from core.api.parsers import check_text
from core.api.renderers import Response
from core.errors import (
    DatabaseUnavailable,
    ErrorEntry,
    InvalidFields,
    NotFound,
    ServiceError,
    error_entry,
)
from core.files.signed_urls import upload_url
from core.request_context import request_context
from core.sharing import Shareable
from core.web import rate_limits, server_errors
from core.web.internal_client import METHODS_ONLY
from core.web.throttling import client_prefix

logger = logging.getLogger(__name__)


def only_argument(arguments: Mapping[str, Any], name: str, *, of: str, remedy: str) -> str:
    """Return the value of a path's only query argument.

    of     : the subject of the error, as in "A trace"
    remedy : what to send, for the error where it is missing
    """
    faults: list[ServiceError] = [
        BadQuery(f"{of} has no argument {other!r}; it has: {name}.", field=other)
        for other in arguments
        if other != name
    ]
    if not arguments.get(name):
        faults.append(ServiceError(remedy, code="missing-parameter", field=name))
    if faults:
        raise InvalidFields(faults)
    return str(arguments[name])


# What a row with a value that no code expected raises as it is represented.
_UNREPRESENTABLE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def _left_out(uri: str) -> ErrorEntry:
    title = f"{uri} has a value that cannot be shown: it is left out. Change or delete it."
    return error_entry("not-representable", title, details={"uri": uri})


# The methods of a view's class with these actions.
_METHODS: dict[Any, list[str]] = {}


class ApiView(APIView):
    """DRF's view, which answers OPTIONS like any other method that is not there."""

    # What an action or method does, at most 60 characters, where it is not what is usual.
    says: Mapping[str, str] = {}
    # Whether its POST changes nothing, so that a token that is restricted to reading may send it.
    only_asks = False
    # What it says while the database does not answer, also to a caller who is not known yet.
    unreachable: type[ServiceError] = DatabaseUnavailable

    @classmethod
    def takes(cls, action: str) -> str:
        """What an action takes beside being signed in, in a sentence; empty where it is nothing."""
        return ""

    @functools.cached_property
    def caller(self) -> Any:
        """Return the signed-in user; None where the view is public."""
        return self.request.user

    @property
    def allowed_methods(self) -> list[str]:
        """Those of the view's class, or of the actions that its path gives it."""
        of = type(self), *getattr(self, "action_map", ())
        if of not in _METHODS:
            _METHODS[of] = [method for method in super().allowed_methods if method != "OPTIONS"]
        return _METHODS[of]

    def initial(self, request: Request, *arguments: Any, **keys: Any) -> None:
        asked = request._request  # what it says itself: DRF's own looks for each attribute there
        if asked.method == "OPTIONS":
            raise MethodNotAllowed(asked.method)
        check_text(request)
        # Of DRF's steps those that we have: there are no versions, formats or throttles to choose.
        self.perform_authentication(request)
        self.check_permissions(request)
        self.caller = request_context().caller = request.user
        _count(self.caller)
        if asked.method in READING and asked.META.get("CONTENT_LENGTH") not in NOTHING:
            asked.GET = query_of(asked)  # type: ignore[assignment]

    def finalize_response(self, request: Any, response: Any, *arguments: Any, **keys: Any) -> Any:
        for name, value in self.headers.items():
            response[name] = value
        return response


def _count(caller: Any) -> None:
    """Reject a request above the account's rate limit; see `core.web.rate_limits`."""
    if caller is None:
        place = client_prefix(request_context().address)
        rate_limits.check_request_rate(place, settings.LIMITS["requests_anonymous"])
    else:
        rate_limits.check_request_rate(caller.pk, rate_limits.request_rate_of(caller))


# The right that a method on a resource takes, and an action.
NEEDED = {"PUT": "write", "DELETE": "delete"}
NEEDED_BY = {"update": "write", "destroy": "delete"}


class ResourceViewSet(ViewSetMixin, ApiView):
    """Base of resource endpoints: parse, call one service, represent.

    A subclass defines its `kind`, the function that represents a row, and the services of its
    writes.
    """

    kind: ClassVar[type[Any]]
    # Tells a row as the contract writes it: a static method, whose annotation is in the document.
    represent: ClassVar[Any]
    # The module with the services create(actor=, ...), change(actor=, row=, ...) and
    # delete(actor=, row=); where that is all there is to a write.
    writes: Any
    # What is read of other tables with each row, as `select_related` names it.
    related: tuple[str, ...] = ()
    # What comes in: nothing, where it says nothing.
    serializer_class: type[StrictSerializer] = StrictSerializer
    listing = ListOptions()
    created_status = 201
    # Whether a file is uploaded to each.
    takes_file = False
    # Whether a creation's answer may be stored for repeats; not where it holds a secret.
    repeatable = True

    def rows(self) -> QuerySet:
        """Return the rows that the caller may read: others are 404."""
        return self.kind.objects.visible_to(self.caller).select_related(*self.related or [None])

    def listed(self) -> Any:
        """Return the rows of a list, as `page` needs them."""
        return self.rows()

    def kind_listed(self) -> str:
        """Return the kind of a list's items, by its name."""
        return self.kind.KIND

    @classmethod
    def takes(cls, action: str) -> str:
        kind = cls.kind
        if action not in NEEDED_BY or not issubclass(kind, Shareable):
            return ""
        return f"To own it, or to hold `{NEEDED_BY[action]}` on it in `{kind.SERVICE}`."

    @classmethod
    def answer(cls) -> Any:
        """Return the type of the representation, from the annotation of `represent`."""
        return cls.represent.__annotations__["return"]

    def represent_all(self, rows: Sequence[Any]) -> list[Any]:
        """Represent a page of rows; overridden where one query serves all."""
        return [self.represent(row) for row in rows]

    def represent_page(self, rows: Sequence[Model]) -> tuple[list[Any], list[ErrorEntry]]:
        """A page of them, and an error for each that cannot be shown: it breaks no list."""
        try:
            return self.represent_all(rows), []
        except _UNREPRESENTABLE as error:
            logger.error("A list of %s leaves out what cannot be shown: %s", self.kind.KIND, error)
            server_errors.remember(type(self), self.request._request)
        shown: list[Any] = []
        errors: list[ErrorEntry] = []
        for row in rows:
            try:
                shown += self.represent_all([row])
            except _UNREPRESENTABLE:
                errors.append(_left_out(str(self.kind.uri_of(row.pk))))
        return shown, errors

    def tell(self, row: Any) -> Any:
        """Represent one row."""
        return self.represent_all([row])[0]

    def perform_create(self, values: ValidatedData) -> Any:
        """The new row, by one service call."""
        return self.writes.create(actor=self.caller, **values)

    def perform_update(self, row: Any, values: ValidatedData) -> None:
        """Apply the changed values by one service call."""
        self.writes.change(actor=self.caller, row=row, **values)

    def perform_destroy(self, row: Any) -> None:
        """Delete, by one service call."""
        self.writes.delete(actor=self.caller, row=row)

    def may(self, row: Any, right: str) -> bool:
        """Whether the caller may change (`write`) or delete (`delete`) a row that they read.

        Overridden where that takes more than to read it, and it is not shared by its owner.
        """
        return row.is_open_to(self.caller, right) if isinstance(row, Shareable) else True

    def allowed(self, row: Any) -> Iterator[str]:
        """The methods that the caller may use on the row."""
        for method in self.allowed_methods:
            if method not in NEEDED or self.may(row, NEEDED[method]):
                yield method

    def created_headers(self, row: Any) -> dict[str, str]:
        """Headers of a creation's answer beside Location."""
        if not self.takes_file:
            return {}
        return {"X-Upload-Location": upload_url(self.kind.KIND, row.uuid, owner=row.owner_id)}

    def read(self, request: Request, row: Any = None) -> ValidatedData:
        """Return the validated values of the body; of an update only those present."""
        serializer = self.serializer_class(
            row,
            data=request.data,
            partial=row is not None,
            context={
                "request": request,
                "answered": members_of(self.answer()),
                "current": functools.cache(lambda: self.tell(row)),
            },
        )
        serializer.is_valid(raise_exception=True)
        return serializer.validated_data

    def row(self, uuid: UUID) -> Any:
        """The row with this key, if the caller may read it."""
        row = self.rows().filter(pk=uuid).first()
        if row is None:
            raise NotFound("There is no such resource, or not for you.")
        return row

    # ------------------------------------------------------------ the five verbs

    def list(self, request: Request, **keys: Any) -> Response:
        rows = self.listed()
        kind = self.kind_listed()
        asked = self.listing.read(request.query_params, kind=kind, model=rows.model)
        found, links, meta = page(
            rows,
            asked,
            url=asked_url(request._request),
            arguments=request.query_params,
        )
        resources, errors = self.represent_page(found)
        if errors:
            meta["errors"] = errors
        return Response({"links": links, "meta": meta, "resources": resources})

    def create(self, request: Request, **keys: Any) -> HttpResponse:
        if not self.repeatable:
            return self._create(request)
        return answer_once(request, lambda: self._create(request))

    def _create(self, request: Request) -> Response:
        row = self.perform_create(self.read(request))
        headers = {"Location": row.uri, "X-Location": row.uri, **self.created_headers(row)}
        body = None if self.created_status == 204 else self.tell(row)
        return Response(body, self.created_status, headers=headers)

    def retrieve(self, request: Request, uuid: UUID, **keys: Any) -> HttpResponse:
        row = self.row(uuid)
        self.headers["Allow"] = ", ".join(self.allowed(row))
        if METHODS_ONLY in request._request.META:
            return HttpResponse(status=204)
        return Response(self.tell(row))

    def update(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        row = self.row(uuid)
        self.perform_update(row, self.read(request, row))
        return Response(status=204)

    def destroy(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        self.perform_destroy(self.row(uuid))
        return Response(status=204)
