"""What viewers show, where the browser finds it: at the files host, as soon as it is made."""

from urllib.parse import urlencode
from uuid import UUID

import orjson
from django.http import HttpResponse, HttpResponseRedirect

from apps.console.domain.wording import sentence
from apps.console.views.addresses import uri_of
from apps.console.views.visits import Visit, page


@page("GET")
def preview(visit: Visit, uuid: UUID) -> HttpResponse:
    """The light mesh of a model, of as many triangles as the address says."""
    return _bring(visit, f"{uri_of('model', uuid)}preview/")


def _bring(visit: Visit, uri: str) -> HttpResponse:
    """Off to the file that the API makes when it is first asked: 202 until it is there."""
    asked = urlencode(visit.request.GET)
    answer = visit.api.ask("GET", f"{uri}?{asked}" if asked else uri)
    told = orjson.loads(answer.content)
    if answer.status_code == 202:
        return HttpResponse(status=202, headers={"Retry-After": answer["Retry-After"]})
    if told["content"] is None:
        return visit.show("refused", 409, words=[sentence(error) for error in told["errors"]])
    return HttpResponseRedirect(told["content"], headers={"Cache-Control": "no-store"})
