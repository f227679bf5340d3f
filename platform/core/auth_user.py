"""Type of the authenticated user for annotations; the model itself lives in apps.users."""

from typing import TYPE_CHECKING, Any, cast

from django.http import HttpRequest

if TYPE_CHECKING:
    # What django-stubs takes for the model that AUTH_USER_MODEL names.
    from django.contrib.auth.models import _User as Person
else:
    Person = Any


def admin_user(request: HttpRequest) -> Person:
    """Return the user of an admin page, which is signed in."""
    return cast(Person, request.user)
