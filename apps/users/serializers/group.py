"""Groups and memberships as the contract spells them."""

from datetime import datetime
from typing import Annotated, TypedDict
from uuid import UUID

from apps.users.models import Group, Membership
from core.api.fields import StrictSerializer, StrictText, UriField
from core.api.openapi.response_types import Uri


class GroupSerializer(StrictSerializer):
    """A group of users that holds rights."""

    name = StrictText(max_length=200, required=False, allow_blank=True)
    description = StrictText(max_length=10_000, required=False, allow_blank=True)


class GroupAnswer(TypedDict):
    """A group of users that holds rights."""

    uri: Uri
    uuid: UUID
    name: str | None
    description: str | None
    user_uri: Annotated[Uri | None, "User who created the group."]
    created: datetime


def group_resource(group: Group) -> GroupAnswer:
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


class MembershipAnswer(TypedDict):
    """A user in a group."""

    uri: Uri
    uuid: UUID
    group: Uri
    user: Uri
    created: datetime


def membership_resource(membership: Membership) -> MembershipAnswer:
    """The contract's membership."""
    return {
        "uri": membership.uri,
        "uuid": membership.uuid,
        "group": membership.group.uri,
        "user": membership.user.uri,
        "created": membership.created,
    }
