"""URLs of the users host."""

from django.urls import path

from apps.users.views.audit import AuditEventViewSet
from apps.users.views.groups import GroupViewSet, MembershipViewSet
from apps.users.views.limits import LimitsView
from apps.users.views.notifications import NotificationViewSet, ReadAllView, UnreadView
from apps.users.views.passwords import NewPasswordView, PasswordResetView
from apps.users.views.permissions import (
    CheckView,
    PermissionViewSet,
    WhatCanViewSet,
    WhoCanViewSet,
)
from apps.users.views.saved_views import SavedViewViewSet
from apps.users.views.second_factor import SecondFactorViewSet
from apps.users.views.sessions import LinkSessionView, LoginViewSet, SessionView
from apps.users.views.tokens import ApiTokenViewSet
from apps.users.views.users import UserViewSet
from core.api.urls import READ, READ_LIST, document, resources

urlpatterns = [
    *resources(UserViewSet, at="users"),
    path("users/<uuid:uuid>/limits/", LimitsView.as_view(), name="user-limits"),
    *resources(GroupViewSet, at="groups"),
    *resources(MembershipViewSet, at="memberships"),
    *resources(PermissionViewSet, at="permissions"),
    path("permissions/check/", CheckView.as_view(), name="permission-check"),
    path("permissions/who-can/", WhoCanViewSet.as_view(READ_LIST), name="permission-who-can"),
    path("permissions/what-can/", WhatCanViewSet.as_view(READ_LIST), name="permission-what-can"),
    *resources(AuditEventViewSet, at="audit-events", collection=READ_LIST, one=READ),
    path("sessions/", SessionView.as_view(), name="session"),
    path("sessions/by-link/", LinkSessionView.as_view(), name="session-by-link"),
    path(
        "sessions/all/",
        LoginViewSet.as_view({"get": "list", "delete": "end_others"}),
        name="session-list",
    ),
    path(
        "sessions/<uuid:uuid>/",
        LoginViewSet.as_view({**READ, "delete": "destroy"}),
        name="session-detail",
    ),
    *resources(SecondFactorViewSet, at="one-time-passwords"),
    path("password-resets/", PasswordResetView.as_view(), name="password-reset"),
    path("password-resets/<str:token>/", NewPasswordView.as_view(), name="new-password"),
    *resources(SavedViewViewSet, at="saved-views"),
    path("notifications/unread/", UnreadView.as_view(), name="notification-unread"),
    path("notifications/mark-as-read/", ReadAllView.as_view(), name="notification-mark-as-read"),
    *resources(
        NotificationViewSet,
        at="notifications",
        collection=READ_LIST,
        one={**READ, "put": "update"},
    ),
    *resources(ApiTokenViewSet, at="api_tokens"),
    *document(
        "apps.users.urls",
        "users",
        about="Accounts, sessions, API tokens, groups, permissions and notifications.",
    ),
]

handler404 = "core.api.exception_handler.not_found"
handler500 = "core.api.exception_handler.server_error"
