"""Serializer field: untrusted JSON of a bounded size."""

import json
from typing import Any

from rest_framework import serializers

from core.api.fields import ValidatedData

LARGEST = 64 * 1024  # characters, written as JSON
DEEPEST = 32


class JsonObject(serializers.DictField):
    """An object of any members."""

    def __init__(self, **options: Any):
        super().__init__(child=serializers.JSONField(allow_null=True), **options)
        self.error_messages["not_a_dict"] = "Send an object."

    def to_internal_value(self, data: Any) -> ValidatedData:
        if isinstance(data, dict):
            if _depth(data) > DEEPEST or len(json.dumps(data)) > LARGEST:
                raise serializers.ValidationError(
                    f"Send at most {LARGEST} characters, nested at most {DEEPEST} deep.",
                    code="max_length",
                )
        return super().to_internal_value(data)


def _depth(value: Any) -> int:
    """How deep lists and objects are nested, without recursion."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        depth += 1
        nested = [item for item in level if isinstance(item, dict | list)]
        level = [
            inner
            for item in nested
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return depth
