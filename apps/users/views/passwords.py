"""Views: password resets."""

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from apps.users.serializers.session import (
    NewPasswordSerializer,
    PasswordResetSerializer,
    TitleAnswer,
)
from apps.users.services import passwords
from core.api.renderers import Response
from core.api.views import ApiView
from core.web.csrf import require_same_site
from core.web.throttling import client_address


class PasswordResetView(ApiView):
    """Request a reset mail; the answer is the same whether or not the account exists."""

    says = {"post": "Request a password reset by e-mail"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=PasswordResetSerializer, responses={202: TitleAnswer})
    def post(self, request: Request) -> Response:
        require_same_site(request._request)
        serializer = PasswordResetSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        ((by, value),) = serializer.validated_data.items()
        passwords.ask_for_reset(by=by, value=value, address=client_address(request._request))
        return Response(
            {"title": "If there is such an account, a mail is on its way to its address."}, 202
        )


class NewPasswordView(ApiView):
    """Use a mailed token."""

    says = {"put": "Set a new password with an e-mailed token"}
    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(request=NewPasswordSerializer, responses={204: None})
    def put(self, request: Request, token: str) -> Response:
        require_same_site(request._request)
        serializer = NewPasswordSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        passwords.reset(
            token=token, address=client_address(request._request), **serializer.validated_data
        )
        return Response(status=204)
