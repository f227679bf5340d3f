"""{users_url}: logins."""

from django.conf import settings
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from apps.users.serializers.user import SessionSerializer, user_resource
from apps.users.services import sessions
from core.api.views import ApiView
from core.origins import refuse_cross_site
from core.throttle import client_address


class SessionView(ApiView):
    """The caller's login: made by POST, read by GET, ended by DELETE."""

    serializer_class = SessionSerializer

    def get_permissions(self):
        return [AllowAny()] if self.request.method == "POST" else super().get_permissions()

    def get_authenticators(self):
        posting = self.request is not None and self.request.method == "POST"
        return [] if posting else super().get_authenticators()

    def post(self, request: Request) -> Response:
        refuse_cross_site(request._request)
        serializer = SessionSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        user, session = sessions.sign_in(
            address=client_address(request._request), **serializer.validated_data
        )
        response = Response(user_resource(user), status.HTTP_201_CREATED)
        response["Location"] = response["X-Location"] = user.uri
        response.set_cookie(
            settings.SESSION_COOKIE_NAME,
            str(session.session_key),
            max_age=settings.SESSION_COOKIE_AGE,
            domain=settings.SESSION_COOKIE_DOMAIN,
            secure=settings.SESSION_COOKIE_SECURE,
            httponly=True,
            samesite="Lax",
        )
        return response

    def get(self, request: Request) -> Response:
        return Response(user_resource(self.caller))

    def delete(self, request: Request) -> Response:
        session_key = request.COOKIES.get(settings.SESSION_COOKIE_NAME)
        if session_key:
            sessions.sign_out(session_key=session_key)
        response = Response(status=status.HTTP_204_NO_CONTENT)
        response.delete_cookie(settings.SESSION_COOKIE_NAME, domain=settings.SESSION_COOKIE_DOMAIN)
        return response
