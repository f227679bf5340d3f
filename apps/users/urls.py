"""{users_url}"""

from django.urls import path

from apps.users.views.audit import AuditEventViewSet
from apps.users.views.groups import GroupViewSet, MembershipViewSet
from apps.users.views.permissions import (
    CheckView,
    PermissionViewSet,
    WhatCanViewSet,
    WhoCanViewSet,
)
from apps.users.views.sessions import SessionView
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
    path("api_tokens/", ApiTokenViewSet.as_view(COLLECTION), name="api-token-list"),
    path("api_tokens/<uuid:uuid>/", ApiTokenViewSet.as_view(RESOURCE), name="api-token-detail"),
    path("openapi.json", openapi("apps.users.urls", "users"), name="openapi-users"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
