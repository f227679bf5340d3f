"""TransitionRefused: the API's refusal of a transition."""

from typing import Any

from core.errors import Conflict


class TransitionRefused(Conflict):
    """The row is in a state from which it cannot go there."""

    code = "illegal-transition"

    def __init__(self, row: Any, to: str, why: str, *, field: str | None = "status"):
        super().__init__(
            f"The {row.KIND} {row.uri} is {row.status} and cannot become {to}: {why}",
            field=field,
            details={"uri": row.uri, "from": str(row.status), "to": str(to)},
        )
