"""DatabaseWrapper: tests the socket instead of sending SELECT 1; keeps timestamps in UTC."""

import select
from collections.abc import Mapping
from typing import Any

import psycopg
from django.db import InternalError, OperationalError
from django.db.backends.postgresql import base
from psycopg.pq import Format

# Psycopg's own, which is compiled: Django's is written in Python, and takes as long for a page's
# times as orjson for all of it.
_TIMES: Any = psycopg.adapters.get_loader(psycopg.adapters.types["timestamptz"].oid, Format.TEXT)


class DatabaseWrapper(base.DatabaseWrapper):
    """As Django's own; a connection is usable while its socket is silent.

    A server that ends a connection, or dies, says so on its socket: the kernel knows it at once,
    and a statement in each request that asks the same was a tenth of its processor time.
    """

    def get_new_connection(self, conn_params: Mapping[str, object]) -> Any:
        connection = super().get_new_connection(conn_params)
        connection.adapters.register_loader("timestamptz", _TIMES)
        return connection

    def create_cursor(self, name: str | None = None) -> Any:
        """As Django's; that times are read in UTC is the session's own time zone, which is UTC."""
        if name is None:
            return self.connection.cursor()
        withhold = self.connection.autocommit
        return self.connection.cursor(name, scrollable=False, withhold=withhold)

    def _commit(self) -> None:
        """As Django's; a server that goes as it has committed is one that did not answer.

        It says both at once, in which psycopg sees a fault of its own.
        """
        try:
            super()._commit()  # type: ignore[misc]  # not in the stubs
        except InternalError as error:
            raise OperationalError("The server ended the connection at a commit.") from error

    def is_usable(self) -> bool:
        if self.connection is None or self.connection.closed:
            return False
        if not _has_news(self.connection.fileno()):
            return True
        return super().is_usable()


def _has_news(socket: int) -> bool:
    """Whether something was sent to it, or it was closed."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))
