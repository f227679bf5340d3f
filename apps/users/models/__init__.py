"""Users, groups, permissions, tokens, sessions, saved views, notifications, audit events."""

from apps.users.models.audit import AuditEvent
from apps.users.models.group import Group
from apps.users.models.login import Login
from apps.users.models.membership import Membership
from apps.users.models.notification import Notification
from apps.users.models.permission import Permission
from apps.users.models.saved_view import SavedView
from apps.users.models.second_factor import RecoveryCode, SecondFactor
from apps.users.models.token import ApiToken
from apps.users.models.user import User

__all__ = [
    "ApiToken",
    "AuditEvent",
    "Group",
    "Login",
    "Membership",
    "Notification",
    "Permission",
    "RecoveryCode",
    "SavedView",
    "SecondFactor",
    "User",
]
