"""Answers that are typed once: what the documents make of their types."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal, NotRequired, TypedDict
from uuid import UUID

import pytest
from django.db.models import TextChoices
from drf_spectacular.plumbing import ComponentRegistry

from core.api.openapi.response_types import Uri, members_of, name_of, schema_of


class Status(TextChoices):
    ON = "on"
    OFF = "off"


class LampAnswer(TypedDict):
    uri: Uri
    status: Annotated[str, Status, "Whether it shines."]
    note: NotRequired[str | None]


class RoomAnswer(TypedDict):
    lamp: Annotated[LampAnswer, "Over the table."]
    lamps: list[LampAnswer] | None


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, {"type": "string"}),
        (Decimal, {"type": "number", "format": "double"}),
        (UUID | None, {"type": ["string", "null"], "format": "uuid"}),
        (datetime, {"type": "string", "format": "date-time"}),
        (list[int], {"type": "array", "items": {"type": "integer"}}),
        (dict[str, Any], {"type": "object", "additionalProperties": {}}),
        (Any, {}),
        (Annotated[str | None, Status], {"type": ["string", "null"], "enum": ["on", "off", None]}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (
            Annotated[Uri | None, "Where."],
            {"type": ["string", "null"], "format": "uri", "description": "Where."},
        ),
    ],
)
def test_type_hint_maps_to_openapi_schema(hint, schema):
    assert schema_of(hint, ComponentRegistry()) == schema


def test_typed_response_becomes_named_component_with_required_members():
    components = ComponentRegistry()

    assert schema_of(RoomAnswer, components) == {"$ref": "#/components/schemas/Room"}
    told = components.build({})["schemas"]
    assert told["Room"]["properties"]["lamp"] == {
        "allOf": [{"$ref": "#/components/schemas/Lamp"}],
        "description": "Over the table.",
    }
    assert told["Lamp"]["required"] == ["status", "uri"]
    assert told["Lamp"]["properties"]["status"] == {
        "type": "string",
        "enum": ["on", "off"],
        "description": "Whether it shines.",
    }
    assert members_of(LampAnswer) == {"uri", "status", "note"}
    assert name_of(LampAnswer | RoomAnswer) == "LampOrRoom"
