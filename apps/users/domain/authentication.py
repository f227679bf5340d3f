"""DRF authentication: session cookie or API token (HTTP Basic)."""

import base64
import binascii
from uuid import UUID

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.users.models import User
from apps.users.models.credential import METRICS, Credential
from apps.users.queries import Known, note_use, user_of_session, user_of_token
from core.errors import Forbidden
from core.request_context import ACCOUNT, request_context
from core.uris import base_url, resolve_uri
from core.web.csrf import SAFE_METHODS, require_same_site
from core.web.internal_client import SESSIONS


class Restricted(Forbidden):
    """The API token is not for this."""


class SessionOrTokenAuthentication(BaseAuthentication):
    """Read the one credential that is there; the header wins over the cookie."""

    def authenticate(self, request: Request) -> tuple[User, Credential] | None:
        request._request.META[ACCOUNT] = ""
        if header := request._request.META.get("HTTP_AUTHORIZATION", ""):
            known = self._token(request, header)
        elif session_key := request._request.COOKIES.get(settings.SESSION_COOKIE_NAME):
            known = self._session(request, session_key)
        else:
            return None
        request._request.META[ACCOUNT] = str(known.user.pk)
        if known.stale:
            note_use(known.credential)
        return known.user, known.credential

    def authenticate_header(self, request: Request) -> str:
        """Return the WWW-Authenticate header, with which DRF answers 401.

        Requests of a page get a scheme other than `Basic`, for which browsers open their own
        password dialog.
        """
        by_page = "Origin" in request.headers or any(
            name.startswith("Sec-Fetch-") for name in request.headers
        )
        return "Session" if by_page else 'Basic realm="API token", charset="UTF-8"'

    def _token(self, request: Request, header: str) -> Known:
        kind, _, encoded = header.partition(" ")
        try:
            name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
            uuid = UUID(name)
        except (binascii.Error, ValueError):
            uuid = None
        known = user_of_token(uuid, secret) if uuid and kind.lower() == "basic" else None
        if known is None:
            raise AuthenticationFailed(
                "The API token or its secret is not valid: it may have expired or been revoked."
            )
        request_context().token = uuid
        _refuse_beyond(known.credential, request)
        return known

    def _session(self, request: Request, session_key: str) -> Known:
        sessions = request._request.META.get(SESSIONS, {})
        if session_key in sessions:
            caller, request_context().limits = sessions[session_key]
            return caller
        caller = user_of_session(session_key)
        if caller is None:
            raise AuthenticationFailed("The session has expired: sign in again.")
        require_same_site(request._request)
        sessions[session_key] = caller._replace(stale=False), request_context().limits
        return caller


def credential_of(request: Request) -> Credential:
    """With what the request was signed."""
    return request.auth if isinstance(request.auth, Credential) else Credential()


def _refuse_beyond(credential: Credential, request: Request) -> None:
    """Raise Restricted where the token's scope excludes the request; rights are checked later."""
    if credential.read_only:
        reading = request.method in SAFE_METHODS or request.parser_context["view"].only_asks
        if not reading:
            raise Restricted(
                f"This API token is restricted to reading (read_only), and {request.method} "
                "writes: use another token."
            )
    if credential.namespaces is not None:
        service = _service_of(request)
        if service not in credential.namespaces:
            raise Restricted(
                f"This API token is restricted to the services {', '.join(credential.namespaces)}"
                f" (namespaces), and this is {service or 'none of them'}: use another token."
            )


def _service_of(request: Request) -> str | None:
    """The service that answers: the host's, and on `data.` that of the resource.

    The bare domain has no other than the metrics.
    """
    host = request._request.host.name  # type: ignore[attr-defined]
    if host == "www":
        return METRICS
    if host != "data":
        return host
    reference = resolve_uri(base_url("data") + request._request.path)
    return reference.service if reference else None
