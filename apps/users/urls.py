"""{users_url}"""

from django.urls import path

from apps.users.views.sessions import SessionView
from apps.users.views.tokens import ApiTokenViewSet
from apps.users.views.users import UserViewSet
from core.api.schema import openapi
from core.api.views import COLLECTION, RESOURCE

urlpatterns = [
    path("users/", UserViewSet.as_view(COLLECTION), name="user-list"),
    path("users/<uuid:uuid>/", UserViewSet.as_view(RESOURCE), name="user-detail"),
    path("sessions/", SessionView.as_view(), name="session"),
    path("api_tokens/", ApiTokenViewSet.as_view(COLLECTION), name="api-token-list"),
    path("api_tokens/<uuid:uuid>/", ApiTokenViewSet.as_view(RESOURCE), name="api-token-detail"),
    path("openapi.json", openapi("apps.users.urls", "users"), name="openapi-users"),
]

handler404 = "core.api.errors.not_found"
handler500 = "core.api.errors.server_error"
