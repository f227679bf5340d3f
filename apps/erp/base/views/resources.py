"""Generic viewset of all kinds; views nested below a resource."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, TypeVar
from uuid import UUID

from django.db.models import QuerySet
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.viewsets import ViewSetMixin

from apps.erp.base.models.abstract import BaseResource, BureauResource
from apps.erp.base.models.access import bureau_read_by, merged, readable_by
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.serializers.resources import answer_of, flat, listing_of, resource, serializer_of
from apps.erp.base.services import authorization, resources
from core import uris
from core.api.fields import ValidatedData
from core.api.lists.list_queries import ListOptions
from core.api.lists.pagination import asked_url, page_of
from core.api.renderers import Response
from core.api.views import ApiView, ResourceViewSet
from core.errors import NotFound

Item = TypeVar("Item")


class RowViewSet(ResourceViewSet):
    """The resources of a kind: read by whoever reads their bureau, changed by whoever may."""

    kind: ClassVar[type[BaseResource]]
    represent: ClassVar[Any] = staticmethod(resource)
    writes = resources
    # The type of the answer of one. It, `serializer_class` and `listing` are made from the
    # columns of the kind, where a subclass names no others.
    answers: ClassVar[Any]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        made: dict[str, Callable[[type[BaseResource]], Any]] = {
            "serializer_class": serializer_of,
            "answers": answer_of,
            "listing": listing_of,
        }
        for name, make in made.items() if "kind" in vars(cls) else ():
            if name not in vars(cls):
                setattr(cls, name, make(cls.kind))

    @classmethod
    def takes(cls, action: str) -> str:
        kind = cls.kind
        if action == "create" and not kind.PARENT or action not in ("create", "update", "destroy"):
            return ""
        if kind.OPERATED:
            return "To be an operator."
        if not kind.RIGHT:
            return "To be a member of its bureau."
        on = f"its {kind.PARENT.replace('_', ' ')}" if kind.PARENT else "it"
        return f"To hold `{kind.RIGHT}` on {on} in `{authorization.NAMESPACE}`."

    @classmethod
    def answer(cls) -> Any:
        return cls.answers

    def rows(self) -> QuerySet:
        return readable_by(self.kind, self.caller).with_related()  # type: ignore[attr-defined]

    def listed(self) -> Any:
        return merged(self.rows(), self.caller)

    def read(self, request: Request, row: Any = None) -> ValidatedData:
        """The values of the body, which nobody reads for a caller without the right."""
        if row is None:
            given: Any = request.data
            authorization.require_to_create(self.caller, self.kind, given)
        else:
            self.require(row)
        return flat(self.kind, super().read(request, row))

    def require(self, row: Any) -> None:
        """Raise Forbidden unless the caller may change and delete the row."""
        authorization.require_to_change(self.caller, row)

    def may(self, row: Any, right: str) -> bool:
        if isinstance(row, BureauResource) and "bureau" not in row._state.fields_cache:
            row.bureau = bureau_read_by(self.caller, row.bureau_id) or row.bureau
        return authorization.may_change(self.caller, row)

    def is_put_back(self, row: BaseResource) -> bool:
        """Whether the body is a GET of the row put back: it has the row's own `uri`."""
        body: Any = self.request.data
        uri = body.get("uri")
        return isinstance(uri, str) and uris.canonical(uri) == row.uri

    def destroy(self, request: Request, uuid: UUID, **keys: Any) -> Response:
        row = self.row(uuid)
        self.require(row)
        self.perform_destroy(row)
        return Response(status=204)

    def perform_create(self, values: ValidatedData) -> Any:
        what = {"kind": self.kind} if self.writes is resources else {}
        return self.writes.create(actor=self.caller, **what, **values)

    def perform_destroy(self, row: Any) -> None:
        self.writes.delete(row=row)


def changed_uris(changes: object) -> list[object]:
    """The `uri` of each object in what was sent as a list of changes."""
    rows = changes if isinstance(changes, list) else []
    return [row.get("uri") for row in rows if isinstance(row, Mapping)]


def viewset_of(kind: type[BaseResource]) -> type[RowViewSet]:
    """The viewset of a kind that has no rules of its own."""
    return type(f"{kind.__name__}ViewSet", (RowViewSet,), {"__doc__": kind.__doc__, "kind": kind})


class Below(ApiView):
    """What stands below a resource that the caller reads."""

    kind: ClassVar[type[BaseResource]]

    def row(self, uuid: UUID) -> Any:
        if self.kind is Bureau and self.request.method in SAFE_METHODS:
            found = bureau_read_by(self.caller, uuid)
        else:
            found = readable_by(self.kind, self.caller).filter(pk=uuid).first()
        if found is None:
            raise NotFound(f"There is no such {self.kind.KIND}, or not for you.")
        return found


class BelowViewSet(ViewSetMixin, Below):
    """A list below a resource that the caller reads."""

    listing = ListOptions(sort={})

    def page(
        self, request: Request, uuid: UUID, items: Callable[[Any], Any], tell: Callable[[Any], Any]
    ) -> Response:
        """The asked page of what `items` finds below the row."""
        rows = items(self.row(uuid))
        return self.page_of_all(request, rows, lambda found: [tell(one) for one in found])

    def page_of_all(
        self,
        request: Request,
        items: Iterable[Item],
        tell_all: Callable[[Sequence[Item]], Sequence[object]],
    ) -> Response:
        """The requested page of `items`, whose rows are represented together."""
        asked = self.listing.read(request.query_params)
        url = asked_url(request._request)
        found, links, meta = page_of(list(items), asked, url=url)
        return Response({"links": links, "meta": meta, "resources": tell_all(found)})
