"""Query string of a GET, also accepted as its body."""

import orjson
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, QueryDict

from core.api.parsers import require_fit
from core.errors import ServiceError

READING = ("GET", "HEAD")  # methods whose body says what their query could
NOTHING = (None, "", "0")  # CONTENT_LENGTH of a request without a body


class BadBody(ServiceError):
    """The body of a GET is not a query string."""

    code = "invalid-payload"


def query_of(request: HttpRequest) -> QueryDict:
    """Return the arguments of a GET from its query or its body; raises BadBody.

    Some clients send them as a form, under any Content-Type. A body is never ignored: a check of a
    right must not be evaluated without its arguments.
    """
    asked = request.GET
    if request.META.get("CONTENT_LENGTH") in NOTHING:
        return asked
    try:
        given = _read(request.body)
    except (RequestDataTooBig, TooManyFieldsSent, UnicodeDecodeError) as error:
        raise BadBody(
            "The body of a GET is read as a query string, and this is none: send it in the URL."
        ) from error
    if not given:
        return asked
    whole = asked.copy()
    for name, values in given.lists():
        if name in asked and asked.getlist(name) != values:
            raise BadBody(
                f"The URL and the body say different things of {name!r}: send it once.", field=name
            )
        whole.setlist(name, values)
    whole._mutable = False
    return whole


def _read(body: bytes) -> QueryDict:
    if not body.strip():
        return QueryDict()
    try:
        if orjson.loads(body) == {}:
            return QueryDict()
    except orjson.JSONDecodeError:
        pass
    else:
        raise BadBody(
            "A GET is asked by the query string of its URL, which may also be sent as a form; "
            "JSON cannot be read here."
        )
    return require_fit(QueryDict(body.decode()))
