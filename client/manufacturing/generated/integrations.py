"""Integrations: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

OperationsFilters = TypedDict("OperationsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "model": Filter,
    "service": Filter, "status": Filter, "type": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "queue": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
Callback = TypedDict("Callback", {"url": str, "method": str})
Place = TypedDict("Place", {"before": int, "seconds": int})
Inputs = TypedDict("Inputs", {"model": str})
Requested = TypedDict("Requested", {"at": str, "answer": str})
Operation = TypedDict("Operation", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "callback": Callback | None,
    "queue": Place | None, "service": str, "inputs": Inputs, "parameters": JsonObject,
    "status": str, "outputs": JsonObject | None, "results": str | None, "result": str | None,
    "attempts": list[Requested],
})
CallbackRequest = TypedDict("CallbackRequest", {
    "url": Required[str], "method": Literal["GET", "POST", "PUT"],
}, total=False)
InputsRequest = TypedDict("InputsRequest", {"model": Ref})
OperationRequest = TypedDict("OperationRequest", {
    "callback": NotRequired[CallbackRequest | None], "service": Ref, "inputs": InputsRequest,
    "parameters": JsonObject, "status": NotRequired[Literal["processing", "complete", "error"]],
})
OperationChange = TypedDict("OperationChange", {
    "callback": CallbackRequest | None, "service": Ref, "inputs": InputsRequest,
    "parameters": JsonObject, "status": Literal["processing", "complete", "error"],
}, total=False)
EventsFilters = TypedDict("EventsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "sequence": Filter,
    "sequence_from": Filter, "sequence_to": Filter, "type": Filter, "uri": Filter, "sort": str,
    "limit": int,
}, total=False)
Outcome = TypedDict("Outcome", {
    "outcome": str, "count": int, "first": str, "last": str, "milliseconds": int,
    "answer": str | None,
})
Delivery = TypedDict("Delivery", {
    "webhook_id": str, "url": str, "method": str, "subscription": str | None, "state": str,
    "attempts": int, "outcomes": list[Outcome], "error": str | None, "created": str,
    "next_attempt": str | None, "delivered": str | None, "replayed": str | None,
})
Event = TypedDict("Event", {
    "position": int, "type": str, "sequence": int, "created": str, "changes": JsonObject,
    "deliveries": list[Delivery],
})
ServicesFilters = TypedDict("ServicesFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "group_uri": Filter,
    "name": Filter, "type": Filter, "uri": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
Service = TypedDict("Service", {
    "uri": str, "created": str, "updated": str, "name": str, "description": str | None, "type": str,
    "group_uri": str | None, "service_url": str, "service_method": str, "schema": JsonObject,
})
ServiceRequest = TypedDict("ServiceRequest", {
    "name": Required[str], "description": str | None, "type": Required[str],
    "group_uri": Ref | None, "service_url": Required[str], "service_method": Literal["POST", "PUT"],
    "schema": JsonObject,
}, total=False)
NewService = TypedDict("NewService", {
    "uri": str, "created": str, "updated": str, "name": str, "description": str | None, "type": str,
    "group_uri": str | None, "service_url": str, "service_method": str, "schema": JsonObject,
    "secret": str,
})
ServiceChange = TypedDict("ServiceChange", {
    "name": str, "description": str | None, "type": str, "group_uri": Ref | None,
    "service_url": str, "service_method": Literal["POST", "PUT"], "schema": JsonObject,
}, total=False)


class Integrations(Methods):
    """Operations on models by built-in services and external providers."""

    NAME = "integrations"

    def operations(self, **filters: Unpack[OperationsFilters]) -> Iterator[Operation]:
        """List operations."""
        return self._list(self._at("/operation/"), filters, "queue")

    def operation(self, **fields: Unpack[OperationRequest]) -> None:
        """Create an operation."""
        self._post(self._at("/operation/"), fields)

    def get_operation(self, operation: Ref) -> Operation:
        """Get an operation."""
        return self._get(operation)

    def change_operation(self, operation: Ref, /, **fields: Unpack[OperationChange]) -> None:
        """Update an operation."""
        self._put(operation, fields)

    def delete_operation(self, operation: Ref) -> None:
        """Delete an operation."""
        self._client.delete(operation)

    def operation_events(
        self, operation: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of an operation."""
        return self._list(self._at("events/", operation), filters)

    def operation_events_replay(self, operation: Ref, seq: object) -> Event:
        """Replay an event of an operation."""
        return self._post(self._at("events/{}/replay/", operation, seq), {})

    def services(self, **filters: Unpack[ServicesFilters]) -> Iterator[Service]:
        """List services."""
        return self._list(self._at("/service/"), filters)

    def service(self, **fields: Unpack[ServiceRequest]) -> NewService:
        """Create a service."""
        return self._post(self._at("/service/"), fields)

    def get_service(self, service: Ref) -> Service:
        """Get a service."""
        return self._get(service)

    def change_service(self, service: Ref, /, **fields: Unpack[ServiceChange]) -> None:
        """Update a service."""
        self._put(service, fields)

    def delete_service(self, service: Ref) -> None:
        """Delete a service."""
        self._client.delete(service)
