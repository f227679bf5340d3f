"""Visits as JSON, and back."""

from datetime import datetime
from typing import Annotated, TypedDict

from apps.sales.models import Visit
from core.api.fields import StrictSerializer, StrictText
from core.api.response_types import Uri


class VisitSerializer(StrictSerializer):
    """The storefront that is visited."""

    storefront = StrictText(max_length=63)


class VisitAnswer(TypedDict):
    """A visit."""

    uri: Uri
    created: datetime
    storefront: str
    bureau: Uri
    expires: datetime
    token: Annotated[str | None, "Key of the visit's API token; only in the answer of creation."]
    secret: Annotated[str | None, "Secret of the token; only in the answer of creation."]


def visit_resource(row: Visit) -> VisitAnswer:
    """A visit as JSON."""
    return {
        "uri": row.uri,
        "created": row.created,
        "storefront": row.storefront,
        "bureau": row.bureau,
        "expires": row.expires,
        "token": row.token,
        "secret": row.secret,
    }
