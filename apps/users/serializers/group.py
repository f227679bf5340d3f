"""Groups and memberships as the contract spells them."""

from typing import Any

from rest_framework import serializers

from apps.users.models import Group, Membership
from apps.users.services.memberships import as_json
from core.api.fields import StrictSerializer, StrictText, UriField


class GroupSerializer(StrictSerializer):
    """People who hold rights together."""

    name = StrictText(max_length=200, required=False, allow_blank=True)
    description = StrictText(max_length=10_000, required=False, allow_blank=True)
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    user_uri = serializers.CharField(read_only=True, allow_null=True, help_text="Who made it.")
    created = serializers.DateTimeField(read_only=True)


def group_resource(group: Group) -> dict[str, Any]:
    """The contract's group."""
    return {
        "uri": group.uri,
        "uuid": group.uuid,
        "name": group.name or None,
        "description": group.description or None,
        "user_uri": group.creator.uri if group.creator else None,
        "created": group.created,
    }


class MembershipSerializer(StrictSerializer):
    """A user in a group."""

    group = UriField()
    user = UriField()
    uri = serializers.CharField(read_only=True)
    uuid = serializers.UUIDField(read_only=True)
    created = serializers.DateTimeField(read_only=True)


def membership_resource(membership: Membership) -> dict[str, Any]:
    """The contract's membership."""
    return {
        "uri": membership.uri,
        "uuid": membership.uuid,
        **as_json(membership),
        "created": membership.created,
    }
