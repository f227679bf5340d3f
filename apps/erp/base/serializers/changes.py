"""Changes of many resources in one request."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.access import readable_by
from apps.erp.base.serializers.resources import MAX_ENTRIES


class ChangesField(serializers.ListField):
    """Changes of rows of a kind, each named by its `uri`, and once; its value is rows and changes.

    change : the serializer of one change
    """

    def __init__(self, kind: type[BaseResource], change: serializers.Serializer):
        super().__init__(child=change, max_length=MAX_ENTRIES, allow_empty=False)
        self.kind = kind

    def to_internal_value(self, data: list[Any]) -> list[Any]:
        changes = super().to_internal_value(data)
        self.run_validators(changes)  # how many there may be, before they are read
        keys = [self.kind.keys_of(change["uri"]) for change in changes]
        rows = readable_by(self.kind, self.context["request"].user)
        by_key = rows.in_bulk([key for own in keys for key in own])
        faults: dict[str, dict[str, list[serializers.ErrorDetail]]] = {}
        seen: set[UUID] = set()
        for at, own in enumerate(keys):
            uri = changes[at]["uri"][:200]
            if not own or own[0] not in by_key:
                title = f"{uri} is not a {self.kind.KIND} that you may read."
                faults[str(at)] = {"uri": [serializers.ErrorDetail(title, "resource-not-found")]}
            elif own[0] in seen:
                title = f"{uri} stands in this list twice."
                faults[str(at)] = {"uri": [serializers.ErrorDetail(title, "not-allowed")]}
            seen.update(own)
        if faults:
            raise serializers.ValidationError(faults)
        return [(by_key[key], change) for (key,), change in zip(keys, changes, strict=True)]
