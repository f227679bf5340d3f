"""Users: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

ApiTokensFilters = TypedDict("ApiTokensFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "expires": Filter,
    "expires_from": Filter, "expires_to": Filter, "last_used": Filter, "last_used_from": Filter,
    "last_used_to": Filter, "name": Filter, "read_only": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
ApiToken = TypedDict("ApiToken", {
    "uri": str, "uuid": str, "secret": str | None, "name": str | None,
    "namespaces": list[str] | None, "read_only": bool, "user_uri": str, "created": str,
    "expires": str | None, "last_used": str | None,
})
ApiTokenRequest = TypedDict("ApiTokenRequest", {
    "name": str | None, "expires": str | None,
    "namespaces": list[Literal["users", "models", "slicing", "search", "integrations", "payment", "erp", "sales", "callbacks", "metrics"]] | None,
    "read_only": bool, "user_uri": Ref, "password": str | None,
}, total=False)
ApiTokenChange = TypedDict("ApiTokenChange", {
    "name": str | None, "expires": str | None,
    "namespaces": list[Literal["users", "models", "slicing", "search", "integrations", "payment", "erp", "sales", "callbacks", "metrics"]] | None,
    "read_only": bool, "user_uri": Ref, "password": str | None,
}, total=False)
AuditEventsFilters = TypedDict("AuditEventsFilters", {
    "action": Filter, "actor": Filter, "address": Filter, "created": Filter, "created_from": Filter,
    "created_to": Filter, "on": Filter, "request_id": Filter, "token": Filter, "uri": Filter,
    "sort": str, "limit": int,
}, total=False)
AuditEvent = TypedDict("AuditEvent", {
    "uri": str, "uuid": str, "action": str, "actor": str | None, "on": str | None,
    "before": JsonObject | None, "after": JsonObject | None, "address": str | None,
    "request_id": str | None, "token": str | None, "created": str,
})
GroupsFilters = TypedDict("GroupsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "name": Filter, "uri": Filter,
    "user": Filter, "user_uri": Filter, "uuid": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
Group = TypedDict("Group", {
    "uri": str, "uuid": str, "name": str | None, "description": str | None, "user_uri": str | None,
    "created": str,
})
GroupRequest = TypedDict("GroupRequest", {
    "name": str | None, "description": str | None,
}, total=False)
GroupChange = TypedDict("GroupChange", {"name": str | None, "description": str | None}, total=False)
MembershipsFilters = TypedDict("MembershipsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "group": Filter, "uri": Filter,
    "user": Filter, "sort": str, "limit": int,
}, total=False)
Membership = TypedDict("Membership", {
    "uri": str, "uuid": str, "group": str, "user": str, "created": str,
})
MembershipRequest = TypedDict("MembershipRequest", {"group": Ref, "user": Ref})
MembershipChange = TypedDict("MembershipChange", {"group": Ref, "user": Ref}, total=False)
NotificationsFilters = TypedDict("NotificationsFilters", {
    "kind": Filter, "read": Filter, "read_from": Filter, "read_to": Filter, "shop": Filter,
    "subject": Filter, "unread": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Notification = TypedDict("Notification", {
    "uri": str, "kind": str, "shop": str | None, "subject": str, "data": JsonObject, "count": int,
    "created": str, "updated": str, "read": str | None,
})
ReadAllRequest = TypedDict("ReadAllRequest", {"until": str | None}, total=False)
ReadAll = TypedDict("ReadAll", {"count": int})
Unread = TypedDict("Unread", {"count": int, "more": bool, "newest": list[Notification]})
NotificationChange = TypedDict("NotificationChange", {"read": str | None}, total=False)
OneTimePasswordsFilters = TypedDict("OneTimePasswordsFilters", {
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
SecondFactor = TypedDict("SecondFactor", {
    "uri": str, "uuid": str, "secret": str | None, "otpauth_uri": str | None,
    "recovery_codes": list[str] | None, "created": str, "confirmed": str | None,
})
SecondFactorRequest = TypedDict("SecondFactorRequest", {"password": str})
ConfirmationRequest = TypedDict("ConfirmationRequest", {"one_time_password": str})
PasswordResetRequest = TypedDict("PasswordResetRequest", {
    "username": str, "email": str,
}, total=False)
Title = TypedDict("Title", {"title": str})
NewPasswordRequest = TypedDict("NewPasswordRequest", {
    "password": Required[str], "end_tokens": bool,
}, total=False)
PermissionsFilters = TypedDict("PermissionsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "created_by": Filter,
    "holder": Filter, "namespace": Filter, "object": Filter, "resource_name": Filter,
    "right": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Permission = TypedDict("Permission", {
    "uri": str, "uuid": str, "holder": str, "namespace": str, "object": str, "right": str,
    "created_by": str | None, "created": str,
})
PermissionRequest = TypedDict("PermissionRequest", {
    "holder": Ref, "namespace": str, "object": Ref, "right": str,
})
Question = TypedDict("Question", {
    "holder": str, "namespace": str, "object": str, "right": str, "allowed": bool,
})
Answers = TypedDict("Answers", {"answers": list[Question]})
WhatCanFilters = TypedDict("WhatCanFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "created_by": Filter,
    "namespace": Filter, "object": Filter, "right": Filter, "uri": Filter, "holder": Filter,
    "sort": str, "limit": int,
}, total=False)
WhoCanFilters = TypedDict("WhoCanFilters", {
    "uri": Filter, "namespace": Filter, "object": Filter, "open_groups": Filter, "right": Filter,
    "limit": int,
}, total=False)
Person = TypedDict("Person", {"uri": str, "holder": str})
PermissionChange = TypedDict("PermissionChange", {
    "holder": Ref, "namespace": str, "object": Ref, "right": str,
}, total=False)
SavedViewsFilters = TypedDict("SavedViewsFilters", {
    "name": Filter, "page": Filter, "uri": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
SavedView = TypedDict("SavedView", {
    "uri": str, "name": str, "page": str, "query": str, "created": str, "updated": str,
})
SavedViewRequest = TypedDict("SavedViewRequest", {"name": str, "page": str, "query": str})
SavedViewChange = TypedDict("SavedViewChange", {
    "name": str, "page": str, "query": str,
}, total=False)
User = TypedDict("User", {
    "uri": str, "uuid": str, "username": str, "email": str | None, "emails": list[str], "name": str,
    "address": str | None, "company": str | None, "tos": bool | None, "tos_accepted": str | None,
    "convert_uploads": bool | None, "muted_notifications": list[str] | None, "password": None,
})
AllFilters = TypedDict("AllFilters", {
    "address": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "last_used": Filter, "last_used_from": Filter, "last_used_to": Filter, "uri": Filter,
    "sort": str, "limit": int,
}, total=False)
Login = TypedDict("Login", {
    "uri": str, "uuid": str, "current": bool, "address": str | None, "user_agent": str | None,
    "created": str, "last_used": str,
})
UsersFilters = TypedDict("UsersFilters", {
    "company": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "email": Filter, "group": Filter, "name": Filter, "uri": Filter, "username": Filter,
    "uuid": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
UserRequest = TypedDict("UserRequest", {
    "username": Required[str], "email": Required[str | None], "name": Required[str],
    "password": Required[str | None], "current_password": str | None, "address": str | None,
    "company": str | None, "tos": bool | None, "convert_uploads": bool | None,
    "muted_notifications": list[Literal["order-received", "order-review", "quote-accepted", "approval-declined", "document-not-issued", "print-decision", "printer-attention", "bed-to-clear", "material-low", "maintenance-due", "job-failed"]] | None,
    "end_tokens": bool, "invitation": str | None,
}, total=False)
UserChange = TypedDict("UserChange", {
    "username": str, "email": str | None, "name": str, "password": str | None,
    "current_password": str | None, "address": str | None, "company": str | None,
    "tos": bool | None, "convert_uploads": bool | None,
    "muted_notifications": list[Literal["order-received", "order-review", "quote-accepted", "approval-declined", "document-not-issued", "print-decision", "printer-attention", "bed-to-clear", "material-low", "maintenance-due", "job-failed"]] | None,
    "end_tokens": bool, "invitation": str | None,
}, total=False)
Limit = TypedDict("Limit", {"limit": str, "most": int | None, "used": int | None})
Limits = TypedDict("Limits", {"limits": list[Limit]})


class Users(Methods):
    """Accounts, sessions, API tokens, groups, permissions and notifications."""

    NAME = "users"

    def api_tokens(self, **filters: Unpack[ApiTokensFilters]) -> Iterator[ApiToken]:
        """List api tokens."""
        return self._list(self._at("/api_tokens/"), filters)

    def api_token(self, **fields: Unpack[ApiTokenRequest]) -> ApiToken:
        """Create an api token."""
        return self._post(self._at("/api_tokens/"), fields)

    def get_api_token(self, api_token: Ref) -> ApiToken:
        """Get an api token."""
        return self._get(api_token)

    def change_api_token(self, api_token: Ref, /, **fields: Unpack[ApiTokenChange]) -> None:
        """Update an api token."""
        self._put(api_token, fields)

    def delete_api_token(self, api_token: Ref) -> None:
        """Delete an api token."""
        self._client.delete(api_token)

    def audit_events(self, **filters: Unpack[AuditEventsFilters]) -> Iterator[AuditEvent]:
        """List audit events."""
        return self._list(self._at("/audit-events/"), filters)

    def get_audit_event(self, audit_event: Ref) -> AuditEvent:
        """Get an audit event."""
        return self._get(audit_event)

    def groups(self, **filters: Unpack[GroupsFilters]) -> Iterator[Group]:
        """List groups."""
        return self._list(self._at("/groups/"), filters)

    def group(self, **fields: Unpack[GroupRequest]) -> Group:
        """Create a group."""
        return self._post(self._at("/groups/"), fields)

    def get_group(self, group: Ref) -> Group:
        """Get a group."""
        return self._get(group)

    def change_group(self, group: Ref, /, **fields: Unpack[GroupChange]) -> None:
        """Update a group."""
        self._put(group, fields)

    def delete_group(self, group: Ref) -> None:
        """Delete a group."""
        self._client.delete(group)

    def memberships(self, **filters: Unpack[MembershipsFilters]) -> Iterator[Membership]:
        """List memberships."""
        return self._list(self._at("/memberships/"), filters)

    def membership(self, **fields: Unpack[MembershipRequest]) -> Membership:
        """Create a membership."""
        return self._post(self._at("/memberships/"), fields)

    def get_membership(self, membership: Ref) -> Membership:
        """Get a membership."""
        return self._get(membership)

    def change_membership(self, membership: Ref, /, **fields: Unpack[MembershipChange]) -> None:
        """Update a membership."""
        self._put(membership, fields)

    def delete_membership(self, membership: Ref) -> None:
        """Delete a membership."""
        self._client.delete(membership)

    def notifications(self, **filters: Unpack[NotificationsFilters]) -> Iterator[Notification]:
        """List notifications."""
        return self._list(self._at("/notifications/"), filters)

    def mark_as_read(self, **fields: Unpack[ReadAllRequest]) -> ReadAll:
        """Mark all notifications as read."""
        return self._post(self._at("/notifications/mark-as-read/"), fields)

    def unread(self) -> Unread:
        """Count unread notifications."""
        return self._get(self._at("/notifications/unread/"))

    def get_notification(self, notification: Ref) -> Notification:
        """Get a notification."""
        return self._get(notification)

    def change_notification(
        self, notification: Ref, /, **fields: Unpack[NotificationChange],
    ) -> None:
        """Mark a notification as read."""
        self._put(notification, fields)

    def one_time_passwords(
        self, **filters: Unpack[OneTimePasswordsFilters],
    ) -> Iterator[SecondFactor]:
        """List second factors."""
        return self._list(self._at("/one-time-passwords/"), filters)

    def one_time_password(self, **fields: Unpack[SecondFactorRequest]) -> SecondFactor:
        """Create a second factor."""
        return self._post(self._at("/one-time-passwords/"), fields)

    def get_one_time_password(self, one_time_password: Ref) -> SecondFactor:
        """Get a second factor."""
        return self._get(one_time_password)

    def change_one_time_password(
        self, one_time_password: Ref, /, **fields: Unpack[ConfirmationRequest],
    ) -> None:
        """Activate a second factor with the first code."""
        self._put(one_time_password, fields)

    def delete_one_time_password(self, one_time_password: Ref) -> None:
        """Remove a second factor, confirmed by the account password."""
        self._client.delete(one_time_password)

    def password_reset(self, **fields: Unpack[PasswordResetRequest]) -> Title:
        """Request a password reset by e-mail."""
        return self._post(self._at("/password-resets/"), fields)

    def change_password_reset(self, token: object, /, **fields: Unpack[NewPasswordRequest]) -> None:
        """Set a new password with an e-mailed token."""
        self._put(self._at("/password-resets/{}/", "", token), fields)

    def permissions(self, **filters: Unpack[PermissionsFilters]) -> Iterator[Permission]:
        """List permissions."""
        return self._list(self._at("/permissions/"), filters)

    def permission(self, **fields: Unpack[PermissionRequest]) -> Permission:
        """Create a permission."""
        return self._post(self._at("/permissions/"), fields)

    def check(self, **fields: Any) -> Question | Answers:
        """Check permissions."""
        return self._post(self._at("/permissions/check/"), fields)

    def what_can(self, **filters: Unpack[WhatCanFilters]) -> Iterator[Permission]:
        """List objects on which a holder has a right."""
        return self._list(self._at("/permissions/what-can/"), filters, "holder")

    def who_can(self, **filters: Unpack[WhoCanFilters]) -> Iterator[Permission | Person]:
        """List holders of a right on an object."""
        return self._list(
            self._at("/permissions/who-can/"), filters, "namespace", "object", "open_groups",
            "right",
        )

    def get_permission(self, permission: Ref) -> Permission:
        """Get a permission."""
        return self._get(permission)

    def change_permission(self, permission: Ref, /, **fields: Unpack[PermissionChange]) -> None:
        """Update a permission."""
        self._put(permission, fields)

    def delete_permission(self, permission: Ref) -> None:
        """Delete a permission."""
        self._client.delete(permission)

    def saved_views(self, **filters: Unpack[SavedViewsFilters]) -> Iterator[SavedView]:
        """List saved views."""
        return self._list(self._at("/saved-views/"), filters)

    def saved_view(self, **fields: Unpack[SavedViewRequest]) -> SavedView:
        """Create a saved view."""
        return self._post(self._at("/saved-views/"), fields)

    def get_saved_view(self, saved_view: Ref) -> SavedView:
        """Get a saved view."""
        return self._get(saved_view)

    def change_saved_view(self, saved_view: Ref, /, **fields: Unpack[SavedViewChange]) -> None:
        """Update a saved view."""
        self._put(saved_view, fields)

    def delete_saved_view(self, saved_view: Ref) -> None:
        """Delete a saved view."""
        self._client.delete(saved_view)

    def session(self) -> User:
        """Get the signed-in user."""
        return self._get(self._at("/sessions/"))

    def logins(self, **filters: Unpack[AllFilters]) -> Iterator[Login]:
        """List logins."""
        return self._list(self._at("/sessions/all/"), filters)

    def end_other_logins(self) -> None:
        """End all other sessions."""
        self._client.delete(self._at("/sessions/all/"))

    def get_session(self, session: Ref) -> Login:
        """Get a login."""
        return self._get(session)

    def delete_session(self, session: Ref) -> None:
        """End a session."""
        self._client.delete(session)

    def users(self, **filters: Unpack[UsersFilters]) -> Iterator[User]:
        """List users."""
        return self._list(self._at("/users/"), filters)

    def user(self, **fields: Unpack[UserRequest]) -> User:
        """Create a user."""
        return self._post(self._at("/users/"), fields)

    def get_user(self, user: Ref) -> User:
        """Get a user."""
        return self._get(user)

    def change_user(self, user: Ref, /, **fields: Unpack[UserChange]) -> None:
        """Update a user."""
        self._put(user, fields)

    def delete_user(self, user: Ref) -> None:
        """Delete a user."""
        self._client.delete(user)

    def user_limits(self, user: Ref) -> Limits:
        """Get the quotas of an account and their usage."""
        return self._get(self._at("limits/", user))
