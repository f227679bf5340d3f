"""{users_url}"""

from django.urls import path

from apps.users.views.audit import AuditEventViewSet
from apps.users.views.groups import GroupViewSet, MembershipViewSet
from apps.users.views.passwords import NewPasswordView, PasswordResetView
from apps.users.views.permissions import (
    CheckView,
    PermissionViewSet,
    WhatCanViewSet,
    WhoCanViewSet,
)
from apps.users.views.second_factor import SecondFactorViewSet
from apps.users.views.sessions import LoginViewSet, SessionView
from apps.users.views.tokens import ApiTokenViewSet
from apps.users.views.users import UserViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("users/", UserViewSet.as_view(COLLECTION), name="user-list"),
    path("users/<uuid:uuid>/", UserViewSet.as_view(RESOURCE), name="user-detail"),
    path("groups/", GroupViewSet.as_view(COLLECTION), name="group-list"),
    path("groups/<uuid:uuid>/", GroupViewSet.as_view(RESOURCE), name="group-detail"),
    path("memberships/", MembershipViewSet.as_view(COLLECTION), name="membership-list"),
    path("memberships/<uuid:uuid>/", MembershipViewSet.as_view(RESOURCE), name="membership-detail"),
    path("permissions/", PermissionViewSet.as_view(COLLECTION), name="permission-list"),
    path("permissions/<uuid:uuid>/", PermissionViewSet.as_view(RESOURCE), name="permission-detail"),
    path("permissions/check/", CheckView.as_view(), name="permission-check"),
    path("permissions/who-can/", WhoCanViewSet.as_view({"get": "list"}), name="permission-who-can"),
    path(
        "permissions/what-can/", WhatCanViewSet.as_view({"get": "list"}), name="permission-what-can"
    ),
    path("audit-events/", AuditEventViewSet.as_view({"get": "list"}), name="audit-event-list"),
    path(
        "audit-events/<uuid:uuid>/",
        AuditEventViewSet.as_view({"get": "retrieve"}),
        name="audit-event-detail",
    ),
    path("sessions/", SessionView.as_view(), name="session"),
    path(
        "sessions/all/",
        LoginViewSet.as_view({"get": "list", "delete": "end_others"}),
        name="session-list",
    ),
    path(
        "sessions/<uuid:uuid>/",
        LoginViewSet.as_view({"get": "retrieve", "delete": "destroy"}),
        name="session-detail",
    ),
    path(
        "one-time-passwords/",
        SecondFactorViewSet.as_view(COLLECTION),
        name="one-time-password-list",
    ),
    path(
        "one-time-passwords/<uuid:uuid>/",
        SecondFactorViewSet.as_view(RESOURCE),
        name="one-time-password-detail",
    ),
    path("password-resets/", PasswordResetView.as_view(), name="password-reset"),
    path("password-resets/<str:token>/", NewPasswordView.as_view(), name="new-password"),
    path("api_tokens/", ApiTokenViewSet.as_view(COLLECTION), name="api-token-list"),
    path("api_tokens/<uuid:uuid>/", ApiTokenViewSet.as_view(RESOURCE), name="api-token-detail"),
    path("openapi.json", openapi("apps.users.urls", "users"), name="openapi-users"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
