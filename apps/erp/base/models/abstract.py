"""Abstract base models: a resource, and a resource of a bureau."""

from collections.abc import Mapping
from typing import ClassVar, Self
from uuid import UUID

from django.db import models

from apps.erp.base.model_fields import BureauForeignKey, ForeignUriField
from core.model_fields import DatabaseTimeField
from core.resources import Resource
from core.state_machine import EventScope


class RowQuerySet(models.QuerySet):
    """Questions about the rows of a kind."""

    def with_related(self) -> Self:
        """With what their representation reads beside their own columns."""
        many = [column.name for column in self.model._meta.many_to_many]
        # Distinct, since a filter by two of the others finds a row that has both twice.
        return self.prefetch_related(*many).distinct() if many else self


class BaseResource(Resource):
    """A resource of the manufacturing system.

    PARENT   : the column that creation must name, which never changes
    RIGHT    : what creating, changing and deleting it needs on its parent; empty for members
    OPERATED : whether only administrators create, change and delete it
    PRIVATE  : columns that are never shown
    FIXED    : columns beside the parent that are set at creation
    READ_ONLY     : columns that only the platform writes
    SORTED   : columns that lists are sorted by, beside those that all kinds have
    EXTRAS   : fields that old clients send and that mean nothing here
    EVENT_RELATIONS : columns that `audience` and `board` read, fetched together for many events
    GROUPS   : objects that hold several columns: name -> name inside -> column
    """

    SERVICE = "erp"
    PARENT: ClassVar[str] = "bureau"
    RIGHT: ClassVar[str] = ""
    OPERATED: ClassVar[bool] = False
    PRIVATE: ClassVar[frozenset[str]] = frozenset()
    FIXED: ClassVar[frozenset[str]] = frozenset()
    READ_ONLY: ClassVar[frozenset[str]] = frozenset()
    SORTED: ClassVar[tuple[str, ...]] = ()
    EXTRAS: ClassVar[tuple[str, ...]] = ()
    GROUPS: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    BUREAU: ClassVar[str] = "bureau"
    EVENT_RELATIONS: ClassVar[tuple[str, ...]] = ()

    updated = DatabaseTimeField(auto_now=True)

    objects = RowQuerySet.as_manager()

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return str(getattr(self, "name", "") or f"{self.KIND} {self.uuid}")

    @classmethod
    def spelled(cls, column: str) -> str:
        """A column's name in bodies: a URI's without `_uri`, a part of an object with a dot."""
        groups = cls.GROUPS.items()
        names = {inner: f"{group}.{part}" for group, of in groups for part, inner in of.items()}
        if isinstance(cls._meta.get_field(column), ForeignUriField):
            return column.removesuffix("_uri")
        return names.get(column, column)


class BureauResource(BaseResource):
    """A row with its bureau beside it, also where another row is its parent: lists ask by it."""

    bureau = BureauForeignKey("erp.Bureau", db_index=False)

    @property
    def audience(self) -> UUID:
        """The key of its creator's account, which is notified of its changes."""
        return self.creator_id  # type: ignore[attr-defined]

    @property
    def board(self) -> EventScope:
        """Where the bureau's people hear of it: at the location of its machine, if it has one."""
        machine = getattr(self, "printer", None) or getattr(self, "post_processor", None)
        return EventScope(self.bureau_id, machine.location_id if machine else None)  # type: ignore[attr-defined]

    class Meta:
        abstract = True
        indexes = [models.Index(fields=["bureau", "uuid"], name="%(class)s_of_bureau")]
