"""Exceptions of the client."""

from collections.abc import Mapping, Sequence
from typing import Any

Errors = Sequence[Mapping[str, Any]]


class ClientError(Exception):
    """Whatever this client raises of itself."""


class Unreachable(ClientError):
    """No answer came, in all tries."""


class Refused(ClientError):
    """The platform refused: `errors` of the response, `request_id` for its operator."""

    def __init__(self, status: int, errors: Errors, request_id: str) -> None:
        suffix = f" (Request-ID {request_id})" if request_id else ""
        super().__init__(f"{status}: {sentences(errors) or 'no reason was given.'}{suffix}")
        self.status = status
        self.errors = errors
        self.request_id = request_id

    @property
    def codes(self) -> set[str]:
        """The codes of its errors, for programs."""
        return {str(error.get("code")) for error in self.errors}


class NotFound(Refused):
    """Not there, or not for this caller."""


class Conflict(Refused):
    """Not as things stand now."""


class PaymentRequired(Refused):
    """A consent to pay is wanted first."""


class TooMany(Refused):
    """Too much for now: it passes by itself."""


class Failed(ClientError):
    """Work has ended in `error`: `resource` as it stands."""

    def __init__(self, resource: Mapping[str, Any]) -> None:
        why = sentences(resource.get("errors") or ())
        super().__init__(f"{resource['uri']} failed: {why or 'no reason was given.'}")
        self.resource = resource


KINDS = {402: PaymentRequired, 404: NotFound, 409: Conflict, 429: TooMany}


def rejection(status: int, errors: Errors, request_id: str) -> Refused:
    """The error of an answer."""
    return KINDS.get(status, Refused)(status, errors, request_id)


def sentences(errors: Errors) -> str:
    """Return the titles of the errors, each with its field."""
    texts = ((error.get("field"), str(error.get("title", ""))) for error in errors)
    return " ".join(f"{field}: {title}" if field else title for field, title in texts)
