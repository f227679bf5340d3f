"""Credential of a request and its restrictions."""

from dataclasses import dataclass
from uuid import UUID

from core.errors import Forbidden

# What a token may be restricted to beside the services: `/metrics/` on the bare domain.
METRICS = "metrics"


class TokenMayNot(Forbidden):
    """An API token was used for an action that needs a session."""


@dataclass(frozen=True)
class Credential:
    """A session, or an API token and what it is restricted to.

    login      : key of the session's row; None for a token
    token      : key of the API token; None for a session
    namespaces : the services that the token is for, or METRICS alone; None = all services
    """

    login: UUID | None = None
    token: UUID | None = None
    read_only: bool = False
    namespaces: tuple[str, ...] | None = None

    @property
    def reads_metrics(self) -> bool:
        """Whether it is a token for the metrics, and so for nothing else."""
        return self.namespaces == (METRICS,)

    def require_session(self, what: str) -> None:
        """Raise TokenMayNot for a token, so that a stolen one cannot create lasting credentials."""
        if self.token is not None:
            raise TokenMayNot(f"An API token may not {what}: sign in with the password for that.")
