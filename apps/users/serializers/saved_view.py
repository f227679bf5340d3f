"""Saved views of lists."""

from datetime import datetime
from typing import TypedDict

from django.core.validators import RegexValidator

from apps.users.models.saved_view import SavedView
from core.api.fields import StrictSerializer, StrictText
from core.api.openapi.response_types import Uri

PAGE = r"^/([a-z0-9-]+/)*\Z"
QUERY = r"^[^?#\s]*\Z"


class SavedViewSerializer(StrictSerializer):
    """A list as a person wants to see it; an empty query is the list as it is."""

    name = StrictText(max_length=100)
    page = StrictText(
        max_length=100, validators=[RegexValidator(PAGE, "A path, such as /order/, is expected.")]
    )
    query = StrictText(
        max_length=2000,
        validators=[
            RegexValidator(QUERY, "The arguments of the list are expected, without ? and spaces.")
        ],
        error_messages={
            "null": "The query is null: send the arguments of the list as text.",
            "blank": "The query is empty: send the arguments of the list as text.",
        },
    )


class SavedViewAnswer(TypedDict):
    """A list as a person wants to see it."""

    uri: Uri
    name: str
    page: str
    query: str
    created: datetime
    updated: datetime


def saved_view_resource(row: SavedView) -> SavedViewAnswer:
    """A saved view as JSON."""
    return {
        "uri": row.uri,
        "name": row.name,
        "page": row.page,
        "query": row.query,
        "created": row.created,
        "updated": row.updated,
    }
