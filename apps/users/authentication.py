"""Who calls: the `session` cookie, or an API token and its secret as HTTP Basic credentials."""

import base64
import binascii
from uuid import UUID

from django.conf import settings
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.users.models import User
from apps.users.queries import note_use, user_of_session, user_of_token
from core.origins import refuse_cross_site


class Caller(BaseAuthentication):
    """Read the one credential that is there; the header wins over the cookie."""

    def authenticate(self, request: Request) -> tuple[User, str] | None:
        header = request.headers.get("Authorization", "")
        if header:
            return self._token(header), "token"
        session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session_key:
            return self._session(request, session_key)
        return None

    def authenticate_header(self, request: Request) -> str:
        """Makes a refusal 401; DRF sends it as WWW-Authenticate."""
        return 'Basic realm="API token", charset="UTF-8"'

    def _token(self, header: str) -> User:
        kind, _, encoded = header.partition(" ")
        try:
            name, _, secret = base64.b64decode(encoded, validate=True).decode().partition(":")
            uuid = UUID(name)
        except (binascii.Error, ValueError):
            uuid = None
        found = user_of_token(uuid, secret) if uuid and kind.lower() == "basic" else None
        if found is None:
            raise AuthenticationFailed(
                "The API token or its secret is not valid: it may have expired or been revoked."
            )
        user, stale = found
        if stale and uuid:
            note_use(uuid)
        return user

    def _session(self, request: Request, session_key: str) -> tuple[User, str] | None:
        user = user_of_session(session_key)
        if user is None:
            raise AuthenticationFailed("The session is over: sign in again.")
        refuse_cross_site(request._request)
        return user, "session"
