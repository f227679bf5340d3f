"""Views: messages to customers, their texts, previews and tests."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import Message, NotificationChannel
from apps.erp.base.serializers.resources import answer_of, resource
from apps.erp.base.views.resources import Below, BelowViewSet, RowViewSet
from apps.erp.orders.models.messages import MessageTemplate, StaffNotification
from apps.erp.orders.models.prices import CUSTOMER_RIGHT
from apps.erp.orders.serializers.messages import (
    MessageDraftSerializer,
    MessagePreviewAnswer,
    NotificationChannelAnswer,
    NotificationChannelSerializer,
)
from apps.erp.orders.services import (
    message_templates,
    messages,
    notification_channels,
    price_lists,
)
from apps.erp.orders.views.prices import SellingViewSet
from core.api.fields import ValidatedData
from core.api.idempotency import answer_once
from core.api.openapi.schema import IDEMPOTENCY
from core.api.renderers import Response

MessageAnswer = answer_of(Message)


class MessageViewSet(RowViewSet):
    """E-mails to customers: written by the platform, read by the bureau's people."""

    says = {
        "list": "List messages to customers",
        "retrieve": "Get a message to a customer",
        "send": "Send a message again",
    }
    kind = Message
    answers = MessageAnswer

    @extend_schema(request=None, responses={201: MessageAnswer}, parameters=[IDEMPOTENCY])
    def send(self, request: Request, uuid: UUID) -> HttpResponse:
        """Send a copy of a message that has ended, to the present address of the customer."""
        return answer_once(request, lambda: self._send(uuid))

    def _send(self, uuid: UUID) -> Response:
        row = self.row(uuid)
        self.require(row)
        copy = messages.send_again(actor=self.caller, row=row)
        return Response(resource(copy), 201, headers={"Location": copy.uri})


class MessageTemplateViewSet(SellingViewSet):
    kind = MessageTemplate
    right = CUSTOMER_RIGHT
    writes = message_templates


class StaffNotificationViewSet(RowViewSet):
    """Moments at which the caller gets an e-mail; those of other members are not visible."""

    kind = StaffNotification

    def rows(self) -> QuerySet:
        return super().rows().filter(creator=self.caller)


class NotificationChannelViewSet(SellingViewSet):
    """Channels of bureaus: read and changed by who may change what the bureau sends."""

    says = {"test": "Send a test message to a channel"}
    kind = NotificationChannel
    right = CUSTOMER_RIGHT
    serializer_class = NotificationChannelSerializer
    answers = NotificationChannelAnswer
    writes = notification_channels
    repeatable = False  # no stored answer, and no fingerprint of a body with secrets

    @extend_schema(request=None, responses={201: MessageAnswer})
    def test(self, request: Request, uuid: UUID) -> Response:
        """Enqueue a test message; its status is the result, and `error` of the channel."""
        row = self.row(uuid)
        self.require(row)
        message = notification_channels.send_test(actor=self.caller, row=row)
        return Response(resource(message), 201, headers={"Location": message.uri})


class MessageTextsViewSet(BelowViewSet):
    """The texts of all moments and languages."""

    says = {"list": "List the message texts of a bureau"}
    kind = Bureau

    @extend_schema(responses={200: message_templates.MessageTextEntry})
    def list(self, request: Request, uuid: UUID) -> Response:
        """List what a bureau sends its customers: own texts and defaults."""
        price_lists.require(self.caller, self.row(uuid), CUSTOMER_RIGHT)
        return self.page(request, uuid, message_templates.texts_of, lambda entry: entry)


class _DraftView(Below):
    """A draft of a text of a bureau, by who may change its texts."""

    kind = Bureau

    def draft(self, request: Request, uuid: UUID) -> tuple[Bureau, ValidatedData]:
        bureau = self.row(uuid)
        price_lists.require(self.caller, bureau, CUSTOMER_RIGHT)
        serializer = MessageDraftSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        return bureau, serializer.validated_data


class MessagePreviewView(_DraftView):
    """Preview of a text."""

    says = {"post": "Preview a message text"}

    @extend_schema(request=MessageDraftSerializer, responses={200: MessagePreviewAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Render a text with sample values."""
        bureau, values = self.draft(request, uuid)
        rendered = message_templates.preview(bureau=bureau, **values)
        body: MessagePreviewAnswer = {"subject": rendered.subject, "text": rendered.text}
        return Response(body)


class MessageTestView(_DraftView):
    """Test mail of a text."""

    says = {"post": "Send a test mail of a message text"}

    @extend_schema(request=MessageDraftSerializer, responses={201: MessageAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Send a text with sample values to the caller."""
        bureau, values = self.draft(request, uuid)
        row = messages.send_test(
            actor=self.caller,
            bureau=bureau,
            moment=values["moment"],
            language=values["language"],
            text=message_templates.preview(bureau=bureau, **values),
        )
        return Response(resource(row), 201, headers={"Location": row.uri})
