"""Serializer and viewset mixins for the `callback` of a resource."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from django.conf import settings
from django.utils.module_loading import import_string
from rest_framework import serializers

from core.api.fields import CallbackSerializer, Faults, StrictSerializer, ValidatedData
from core.api.openapi.response_types import CallbackAnswer
from core.api.views import ResourceViewSet


class CallbackInputMixin(StrictSerializer):
    """Input of a resource with a `callback`: set at creation, and taken back as it was read."""

    callback = CallbackSerializer(required=False, allow_null=True)

    def to_internal_value(self, data: Any) -> ValidatedData:
        values = super().to_internal_value(data)
        if self.instance is not None:
            values.pop("callback", None)
        return values

    def _fixed(self, values: Mapping[str, Any]) -> Faults:
        faults = super()._fixed(values)
        given = values.get("callback") if self.instance is not None else None
        if given and given != self.context["current"]()["callback"]:
            words = "'callback' is set at creation and cannot be changed."
            faults["callback"] = [serializers.ErrorDetail(words, code="fixed")]
        return faults


class WithCallback(TypedDict):
    """Mixin of answers with a `callback`; null until CallbackOutputMixin knows its owner."""

    callback: CallbackAnswer | None


class CallbackOutputMixin(ResourceViewSet):
    """Resources with a `callback`, visible to the account that gave it and null for others."""

    # Whether a row tells it, so that nobody has to be asked; but for those that are made just now.
    callbacks_are_read = False

    def represent_all(self, rows: Sequence[Any]) -> list[Any]:
        represented = super().represent_all(rows)
        if self.callbacks_are_read and self.action != "create":
            return represented
        caller = self.caller.uri
        own = [one["uri"] for one in represented if one["user_uri"] == caller]
        found = self._callbacks_of(own) if own else {}
        for one in represented:
            one["callback"] = found.get(one["uri"])
        return represented

    def _callbacks_of(self, uris: Sequence[str]) -> dict[str, CallbackAnswer]:
        # What was made just now has the one that came with it, or none.
        if self.action == "create" and not any(
            name.startswith("callback") for name in self.request.data
        ):
            return {}
        return import_string(settings.CALLBACKS_OF)(uris=uris, owner_id=self.caller.pk)
