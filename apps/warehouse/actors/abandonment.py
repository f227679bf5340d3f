"""What a resource says whose work was given up."""

from typing import Any

from core.errors import entry


def abandoned(reason: dict[str, Any]) -> dict[str, Any]:
    """The error of a resource whose job was given up."""
    if reason.get("reason") == "worker-died":
        return entry(
            "worker-died",
            f"The work on this ended its worker process {reason['starts']} times and was given "
            "up: the input may be damaged.",
        )
    return entry(
        "internal-error",
        "The work on this failed several times on our side: try again later, or tell the operator.",
    )
