"""Views: connection tests of printers, and hosts in the networks of agents."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.erp.base.services import authorization
from apps.erp.base.views.resources import Below
from apps.erp.organisation.models.equipment import Printer
from apps.erp.printing.models.agents import Agent
from apps.erp.printing.serializers import connections as serializers
from apps.erp.printing.services import connections
from core.api.renderers import Response


class ConnectionTestView(Below):
    """The connection test of a printer."""

    kind = Printer

    @extend_schema(responses={200: serializers.ConnectionTestAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """Get the last connection test of a printer."""
        test = connections.test_of(self.row(uuid))
        return Response(serializers.connection_test_resource(test))


class StartTestView(Below):
    """A connection test, ordered from the agent of a printer."""

    kind = Printer

    @extend_schema(
        request=serializers.ConnectionTestSerializer,
        responses={201: serializers.ConnectionTestAnswer},
    )
    def post(self, request: Request, uuid: UUID) -> Response:
        """Test the connection of a printer by its agent."""
        printer = self.row(uuid)
        authorization.require_to_change(self.caller, printer)
        serializer = serializers.ConnectionTestSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        test = connections.start_test(printer=printer, **serializer.validated_data)
        return Response(serializers.connection_test_resource(test), 201)


class HostsView(Below):
    """The hosts that an agent discovered."""

    kind = Agent

    @extend_schema(responses={200: serializers.HostsAnswer})
    def get(self, request: Request, uuid: UUID) -> Response:
        """List hosts in the network of an agent."""
        return Response(serializers.hosts_resource(self.row(uuid)))


class SearchView(Below):
    """A search for hosts, ordered from an agent."""

    kind = Agent

    @extend_schema(request=serializers.SearchSerializer, responses={201: serializers.HostsAnswer})
    def post(self, request: Request, uuid: UUID) -> Response:
        """Search the network of an agent for hosts."""
        agent = self.row(uuid)
        authorization.require_to_change(self.caller, agent)
        serializer = serializers.SearchSerializer(data=request.data)
        serializer.is_valid(raise_exception=True)
        agent = connections.start_search(agent=agent, **serializer.validated_data)
        return Response(serializers.hosts_resource(agent), 201)
