"""Who acts, for annotations: a user, whose model stands above the kernel."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What django-stubs takes for the model that AUTH_USER_MODEL names.
    from django.contrib.auth.models import _User as Person
else:
    Person = Any
