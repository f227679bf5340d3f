"""Connection pool that reconnects within a second after an outage."""

import time
from typing import Any

from psycopg import Connection
from psycopg_pool import ConnectionPool, PoolTimeout

AT_ONCE = 16  # connections at most
IDLE = 10.0  # seconds after which one of those that nothing uses is closed
RETRY_DELAY = 1.0  # seconds after which a database that was not there is asked for again


class ReconnectingPool(ConnectionPool[Connection[Any]]):
    """A connection pool that reconnects within about a second of the database's return.

    The package's own pool doubles its pauses: after a minute without the database it reconnects up
    to a minute late, and meanwhile this process reports nothing as done.

    It opens, and starts its threads, at the first use: its process may fork before.

    options : of a connection, as `psycopg.connect` takes them
    """

    def __init__(self, **options: Any):
        super().__init__(
            kwargs=options,
            min_size=0,
            max_size=AT_ONCE,
            max_idle=IDLE,
            open=False,
            check=ConnectionPool.check_connection,
            reconnect_timeout=RETRY_DELAY,
        )

    def getconn(self, timeout: float | None = None) -> Connection[Any]:
        """As the package's."""
        if self.closed:
            self.open()
        deadline = time.monotonic() + (self.timeout if timeout is None else timeout)
        while True:
            try:
                return super().getconn(RETRY_DELAY)
            except PoolTimeout:
                if time.monotonic() >= deadline:
                    raise
