"""Who may change what can be shared, and what becomes of its permissions."""

from typing import Any

from apps.callbacks import interface as callbacks
from apps.users import interface as users
from core.rights import require_right


def require_right_on(row: Any, user: Any, right: str) -> None:
    """Raise MissingRight unless `user` owns the row or holds `right` on it."""
    if row.owner_id != user.pk:
        require_right(user, right, namespace="slicing", on=row.uri)


def put_away(row: Any, *, user: Any) -> None:
    """Take a row out of sight, with all that was granted on it and still had to be told of it."""
    require_right_on(row, user, "delete")
    row.put_away()
    callbacks.forget(uri=row.uri)
    users.revoke_all_on(actor=user, object=row.uri)
