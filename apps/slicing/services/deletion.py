"""What becomes of what is deleted."""

from apps.callbacks import interface as callbacks
from apps.users import interface as users
from core.person import Person
from core.shared import Shared


def put_away(row: Shared, *, user: Person) -> None:
    """Take a row out of sight, with all that was granted on it and still had to be told of it."""
    row.require(user, "delete")
    row.put_away()
    callbacks.forget(uri=row.uri)
    users.revoke_all_on(actor=user, object=row.uri)
