"""In-process API client for the console: the API's answers without a socket.

Pages read and write through the same views, rights and errors as any client's request.
"""

import base64
import hashlib
import io
from collections.abc import Mapping
from typing import Any, NoReturn, NotRequired, TypedDict, cast
from urllib.parse import urlencode, urlsplit
from wsgiref.types import WSGIEnvironment

import orjson
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.core.servers.basehttp import get_internal_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import get_urlconf, set_urlconf
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from core.errors import ErrorEntry, ServiceError, error_entry
from core.files import blobs, pending_uploads
from core.files.disk_space import PreallocatedFile
from core.files.signed_urls import upload_grant
from core.files.storage.errors import StorageError
from core.request_context import ACCOUNT
from core.uris import base_url
from core.web.csrf import SAFE_METHODS

# What the API gets of the visitor. Not `Origin`: the caller has checked it before.
PASSED_ON = ("REMOTE_ADDR", "HTTP_X_FORWARDED_FOR", "HTTP_USER_AGENT")
# Environment key of the sessions that reads of one page have authenticated, by session key. No
# header can set it: those are `HTTP_...`.
SESSIONS = "platform.sessions"
METHODS_ONLY = "platform.methods_only"  # answer with `Allow` alone


class NotSignedIn(Exception):
    """The API answered 401: there is no session, or it has ended."""


class ApiError(Exception):
    """The API has answered with any other refusal.

    http_status : of the answer
    errors      : its entries: code, title, and where they have them field and details
    headers     : of the answer
    """

    def __init__(self, http_status: int, errors: list[ErrorEntry], headers: dict[str, str]):
        super().__init__(" ".join(str(error["title"]) for error in errors))
        self.http_status, self.errors, self.headers = http_status, errors, headers


class PageMeta(TypedDict):
    """How long a list is; `counts` by the values of the field that `count_by` names."""

    count: int
    counts: NotRequired[dict[str, int]]


class ListPage(TypedDict):
    """A page of a list."""

    resources: list[Any]
    links: dict[str, str | None]
    meta: PageMeta


class ApiClient:
    """The API as one visitor has it, during one request of theirs.

    token : as of `credentials`
    read  : the URIs that were read, in their order
    """

    def __init__(self, request: HttpRequest, *, token: str | None = None):
        self._request = request
        self._token = token
        self._asked = 0
        self._may: dict[str, str] = {}  # `Allow` of each answer, by URI
        self._sessions: dict[str, object] = {}  # authenticated, until something is written
        self.read: list[str] = []

    def get(self, uri: str) -> Any:
        """The resource at this URI, as parsed: the caller names its type."""
        self.read.append(uri)
        answer = self.ask("GET", uri)
        self._may[uri] = answer.get("Allow", "")
        return orjson.loads(answer.content)

    def may(self, method: str, uri: str) -> bool:
        """Whether the visitor may use a method on a resource that was read."""
        return method in self._may.get(uri, "").split(", ")

    def methods(self, uri: str) -> set[str]:
        """The methods that the visitor may use on a resource, which is not represented for it."""
        answer = self._answer(self._environ("GET", uri, None, "") | {METHODS_ONLY: True})
        return set(answer.get("Allow", "").split(", ")) if answer.status_code < 400 else set()

    def find(self, uri: str) -> Any | None:
        """Return the resource at this URI; None where it is missing or hidden from the visitor."""
        try:
            return self.get(uri)
        except ApiError as declined:
            if declined.http_status == 404:
                return None
            raise

    def list(self, service: str, path: str, **arguments: object) -> ListPage:
        """A page of a list."""
        query = urlencode({name: value for name, value in arguments.items() if value is not None})
        page: ListPage = self.get(f"{base_url(service)}{path}?{query}")
        return page

    def ask(
        self, method: str, uri: str, body: Mapping[str, object] | None = None, *, key: str = ""
    ) -> HttpResponse:
        """The API's answer to one request; raises NotSignedIn or ApiError for a refusal.

        key : an Idempotency-Key, so that the same form sent twice has its effect once
        """
        answer = self._answer(self._environ(method, uri, body, key))
        if answer.status_code >= 400:
            _decline(answer)
        return answer

    def send(self, location: str, content: bytes) -> None:
        """Bring a file to an upload location of the API's, as the files host takes it."""
        parts = urlsplit(location)
        grant = upload_grant(parts.path, parts.query)
        with blobs.incoming_file() as (file, path):
            written = PreallocatedFile(file, len(content))
            written.write(content)
            written.end()
            digest = hashlib.sha256(content).hexdigest()
            try:
                pending_uploads.complete_upload(grant, path, digest, len(content))
            except ServiceError as error:
                raise ApiError(error.status, [error_entry(error.code, error.title)], {}) from error
            except StorageError as fault:
                rejection = fault.rejection()
                raise ApiError(rejection.status, rejection.entries(), {}) from fault

    def _environ(
        self, method: str, uri: str, body: Mapping[str, object] | None, key: str
    ) -> WSGIEnvironment:
        parts, content = urlsplit(uri), b"" if body is None else orjson.dumps(body)
        self._asked += 1
        number = getattr(self._request, "id", "")
        environ = {name: self._request.META.get(name, "") for name in PASSED_ON}
        environ |= credentials(self._request, self._token)
        environ |= {
            "REQUEST_METHOD": method,
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "SERVER_NAME": parts.hostname,
            "SERVER_PORT": str(parts.port or 80),
            "SERVER_PROTOCOL": "HTTP/1.1",
            "HTTP_HOST": parts.netloc,
            "HTTP_REQUEST_ID": f"{number}.{self._asked}",
            "wsgi.url_scheme": parts.scheme,
            "wsgi.input": io.BytesIO(content),
        }
        if method in SAFE_METHODS:
            environ[SESSIONS] = self._sessions
        else:
            self._sessions = {}
        if content:
            environ |= {"CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(content))}
        if key:
            environ["HTTP_IDEMPOTENCY_KEY"] = key
        return environ

    def _answer(self, environ: WSGIEnvironment) -> HttpResponse:
        """Return Django's response; restores this request's urlconf and language.

        The response is not closed: that would signal the end of the visitor's request.
        """
        application = cast(WSGIHandler, get_internal_wsgi_application())
        urlconf = get_urlconf()
        try:
            with translation.override(settings.LANGUAGE_CODE):
                return cast(HttpResponse, application.get_response(WSGIRequest(environ)))
        finally:
            set_urlconf(urlconf)
            if self._token is None and ACCOUNT in environ:
                self._request.META[ACCOUNT] = environ[ACCOUNT]


def credentials(request: HttpRequest, token: str | None) -> dict[str, str]:
    """Return the headers by which a request is authenticated, as WSGI names them.

    token : `key:secret`; empty for a request without credentials, None for the visitor's cookie
    """
    if token is None:
        return {"HTTP_COOKIE": request.META.get("HTTP_COOKIE", "")}
    encoded = base64.b64encode(token.encode()).decode()
    return {"HTTP_AUTHORIZATION": f"Basic {encoded}"} if token else {}


def _decline(answer: HttpResponse) -> NoReturn:
    if answer.status_code == 401:
        raise NotSignedIn
    raise ApiError(answer.status_code, orjson.loads(answer.content)["errors"], dict(answer.headers))


def prefers_html(request: HttpRequest) -> bool:
    """Return whether the request is a browser's, which may get a page instead of JSON."""
    return "text/html" in request.headers.get("Accept", "")


def page_answer(
    request: HttpRequest, content: str, *, policy: str, status: int = 200
) -> HttpResponse:
    """A page under a content security policy; what the browser has already is not sent again."""
    tag = f'"{hashlib.sha256(content.encode()).hexdigest()[:32]}"'
    known = tag in parse_etags(request.headers.get("If-None-Match", ""))
    response = HttpResponse(status=304) if known else HttpResponse(content, status=status)
    response["ETag"] = tag
    response["Content-Security-Policy"] = policy
    response["Cache-Control"] = "private, no-cache"
    patch_vary_headers(response, ["Cookie"])
    return response
