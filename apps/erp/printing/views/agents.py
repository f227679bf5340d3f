"""Views: printer agents, and the endpoints for agents alone."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import RowViewSet
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.serializers import agents as serializers
from apps.erp.printing.serializers import spools
from apps.erp.printing.services import agents, spoolman
from apps.slicing import interface as slicing
from core.api.renderers import Response
from core.api.views import ApiView
from core.request_context import ACCOUNT, request_context


class AgentViewSet(RowViewSet):
    kind = Agent
    answers = serializers.AgentAnswer
    represent = staticmethod(serializers.agent_resource)
    writes = agents

    @extend_schema(request=None, responses={201: serializers.CodeAnswer})
    def renew(self, request: Request, uuid: UUID) -> Response:
        """Renew the pairing code and revoke the agent's token."""
        agent = self.row(uuid)
        authorization.require_to_change(self.caller, agent)
        code, expires = agents.renew(row=agent)
        answer: serializers.CodeAnswer = {"code": code, "expires": expires}
        return Response(answer, 201)


class Device(BaseAuthentication):
    """An agent by its token; it stands for nobody, and opens the paths of agents alone."""

    def authenticate(self, request: Request) -> tuple[None, Agent] | None:
        kind, _, token = request.headers.get("Authorization", "").partition(" ")
        if not kind:
            return None
        agent = agents.agent_of(token) if kind.lower() == "bearer" else None
        request._request.META[ACCOUNT] = f"agents of {agent.bureau_id}" if agent else ""
        if agent is None:
            raise AuthenticationFailed(
                "The agent's token is not valid, or no longer: pair it by a new code."
            )
        return None, agent

    def authenticate_header(self, request: Request) -> str:
        """Makes a refusal 401."""
        return 'Bearer realm="agent"'


class IsAgent(BasePermission):
    """Whether a paired agent asks."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return isinstance(request.auth, Agent)


class AgentView(ApiView):
    """What only agents ask."""

    authentication_classes = (Device,)
    permission_classes = (IsAgent,)
    known_by = ("deviceToken",)

    @property
    def agent(self) -> Agent:
        """Who asks."""
        asking: Any = self.request.auth
        return asking  # as IsAgent has seen to


class PairView(ApiView):
    """A code for a token."""

    authentication_classes = ()
    permission_classes = (AllowAny,)

    @extend_schema(
        request=serializers.PairSerializer, responses={201: serializers.PairAnswer}, auth=[]
    )
    def post(self, request: Request) -> Response:
        """Pair a program with an agent by its pairing code."""
        serializer = serializers.PairSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        address = request_context().address
        agent, token = agents.pair(address=address, **serializer.validated_data)
        answer: serializers.PairAnswer = {"agent": agent.uri, "name": agent.name, "token": token}
        return Response(answer, 201)


class ExchangeView(AgentView):
    """What machines do, for what they are to do."""

    @extend_schema(
        request=serializers.ExchangeSerializer, responses={200: serializers.ExchangeAnswer}
    )
    def post(self, request: Request) -> Response:
        """Exchange printer states and commands."""
        serializer = serializers.ExchangeSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        values = serializer.validated_data
        attempts = agents.exchange(agent=self.agent, **values)
        waiting = slicing.waiting_jobs(self.agent.pk) if values["engines"] else 0
        return Response(serializers.exchange_of(self.agent, attempts, waiting))


class PermitView(AgentView):
    """May it start?"""

    @extend_schema(request=serializers.PermitSerializer, responses={200: serializers.PermitAnswer})
    def post(self, request: Request) -> Response:
        """Request the permit to start an attempt, granted once."""
        serializer = serializers.PermitSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        attempt = agents.permit(agent=self.agent, **serializer.validated_data)
        answer: serializers.PermitAnswer = {"name": attempt.name, "granted": timezone.now()}
        return Response(answer)


class ContentView(AgentView):
    """The file of an attempt."""

    @extend_schema(responses={200: serializers.ContentAnswer})
    def get(self, request: Request, name: str) -> Response:
        """Get the download URL of an attempt's file."""
        found = agents.content(agent=self.agent, name=name)
        return Response(serializers.content_answer(name, found))


class SpoolsView(AgentView):
    """What the shop's Spoolman says, for what is to be written there."""

    @extend_schema(request=spools.SpoolsSerializer, responses={200: spools.SpoolsAnswer})
    def post(self, request: Request) -> Response:
        """Synchronise remaining filament with Spoolman."""
        serializer = spools.SpoolsSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        found = spoolman.exchange(agent=self.agent, **serializer.validated_data)
        return Response(spools.spools_of(found))


class WakeUpView(AgentView):
    """A stream that tells nothing: each line calls the agent to an exchange."""

    @extend_schema(
        responses={
            (200, "application/x-ndjson"): OpenApiResponse(
                OpenApiTypes.STR, "Stream with an empty line for each notification of the agent."
            )
        }
    )
    def get(self, request: Request) -> HttpResponse:
        """Stream notifications to start an exchange."""
        headers = {
            "Last-Event-ID": "0",
            "Events-Of": str(self.agent.location_id),
            # One account may own many agents: their streams count as the owner's.
            "Heard-By": str(self.agent.bureau.creator_id),
            "Cache-Control": "no-store",
            "X-Accel-Buffering": "no",  # or a proxy may wait for more
        }
        return HttpResponse(b"", content_type="application/x-ndjson", headers=headers)
