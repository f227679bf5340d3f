"""Exception hierarchy of the API: each class carries an HTTP status and an error code."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import NotRequired, TypedDict


class ErrorEntry(TypedDict):
    """A member of an `errors` list. `details` are for programs, by names of each code."""

    code: str
    title: str
    field: NotRequired[str]
    details: NotRequired[Mapping[str, object]]


class ServiceError(Exception):
    """A request that was understood and is refused. Subclasses name the reason."""

    status: int = HTTPStatus.BAD_REQUEST
    code = "invalid-request"

    def __init__(
        self,
        title: str,
        *,
        code: str | None = None,
        field: str | None = None,
        details: Mapping[str, object] | None = None,
        headers: dict[str, str] | None = None,
    ):
        super().__init__(title)
        self.title = title
        self.code = code or self.code
        self.field = field
        self.details = details
        self.headers = headers or {}

    def entries(self) -> list[ErrorEntry]:
        """The error's place in the `errors` list."""
        return [error_entry(self.code, self.title, field=self.field, details=self.details)]


class UnknownResource(ServiceError):
    """A URI in a body that names nothing, or nothing that the caller may see."""

    code = "resource-not-found"


class NotFound(ServiceError):
    status = HTTPStatus.NOT_FOUND
    code = "resource-not-found"


class Forbidden(ServiceError):
    status = HTTPStatus.FORBIDDEN
    code = "Unauthorized"


class Conflict(ServiceError):
    status = HTTPStatus.CONFLICT
    code = "conflict"


class ContentExists(Conflict):
    """The resource has its file already, and it is another one."""

    code = "content-exists"


class RateLimited(ServiceError):
    """A limit on requests per time or on pending jobs is reached; it passes by itself.

    limit      : identifier of the limit
    most, used : allowed and current number
    wait       : seconds until the next attempt
    """

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate-limited"

    def __init__(self, title: str, *, limit: str, most: int, used: int, wait: int):
        super().__init__(
            title,
            details={"limit": limit, "most": most, "used": used},
            headers={"Retry-After": str(wait)},
        )


class QuotaExceeded(Conflict):
    """A limit on stored data is reached: something has to be deleted first.

    limit      : identifier of the limit
    most, used : allowed and current amount
    free_by    : how to make room, for the error
    """

    code = "limit-reached"

    def __init__(self, title: str, *, limit: str, most: int, used: int, free_by: str):
        super().__init__(
            title, details={"limit": limit, "most": most, "used": used, "free_by": free_by}
        )


class Unavailable(ServiceError):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "unavailable"


class DatabaseUnavailable(Unavailable):
    """The database does not answer."""

    code = "database-unavailable"
    sentence = "The database cannot be reached at the moment: try again in a few seconds."

    def __init__(self) -> None:
        super().__init__(self.sentence, headers={"Retry-After": "5"})


class LockTimeout(DatabaseUnavailable):
    """Another transaction held for too long what a request needs."""

    sentence = (
        "Another request is changing the same data and has not ended: try again in a few seconds."
    )


class InvalidFields(ServiceError):
    """Several faults of one request, reported together."""

    def __init__(self, faults: list[ServiceError]):
        super().__init__(" ".join(fault.title for fault in faults))
        self.faults = faults

    def entries(self) -> list[ErrorEntry]:
        return [entry for fault in self.faults for entry in fault.entries()]


def error_entry(
    code: str,
    title: str,
    *,
    field: str | None = None,
    details: Mapping[str, object] | None = None,
) -> ErrorEntry:
    """One member of an `errors` list; `field` is dotted."""
    member: ErrorEntry = {"code": code, "title": title}
    if details:
        member["details"] = details
    if field:
        member["field"] = field
    return member


class UrlExpired(ServiceError):
    """A signed URL has expired, or its resource was deleted."""

    status = HTTPStatus.FORBIDDEN
    code = "location-expired"
