"""DatabaseWrapper: tests the socket instead of sending SELECT 1; reports lost connections alike."""

import select
from collections.abc import Mapping
from types import TracebackType
from typing import Any

import psycopg
from django.db import OperationalError
from django.db.backends.postgresql import base
from django.db.utils import DatabaseErrorWrapper
from django.utils.functional import cached_property
from psycopg.pq import Format

# Psycopg's own, which is compiled: Django's is written in Python, and takes as long for a page's
# times as orjson for all of it.
_TIMES: Any = psycopg.adapters.get_loader(psycopg.adapters.types["timestamptz"].oid, Format.TEXT)


# idle_in_transaction_session_timeout and transaction_timeout: the server ends the connection.
_ENDED = ("25P03", "25P04")


class _ErrorWrapper(DatabaseErrorWrapper):
    """Django's translation of errors; a connection that the server ended is an OperationalError.

    A server, or a pooler, that ends a connection while it answers sends two results at once, in
    which psycopg sees an InternalError of its own, without an SQLSTATE.
    """

    wrapper: Any  # not in the stubs

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, psycopg.InternalError) and error.sqlstate in (None, *_ENDED):
            self.wrapper.errors_occurred = True
            raise OperationalError(*error.args).with_traceback(traceback) from error
        super().__exit__(kind, error, traceback)


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's wrapper, with a check of connections that needs no statement.

    A server that ends a connection, or dies, closes its socket, which the kernel reports at once. A
    `SELECT 1` in each request took a tenth of its CPU time.
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

    @cached_property
    def wrap_database_errors(self) -> DatabaseErrorWrapper:
        return _ErrorWrapper(self)

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
