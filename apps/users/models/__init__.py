"""People, and the keys that they call the API with."""

from apps.users.models.token import ApiToken
from apps.users.models.user import User

__all__ = ["ApiToken", "User"]
