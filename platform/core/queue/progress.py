"""Publishes job progress to open event streams (NOTIFY); not persisted."""

import orjson
from django.db import connection

from core.state_machine import Stateful

# Notified at once, with a line for streams and the keys of whose streams it is for.
CHANNEL = "progress"


def publish_progress(row: Stateful) -> None:
    """Send the progress of a row's work to the streams of its owner and of its bureau."""
    board = row.board
    notification = {
        "of": [row.audience, *([board.bureau] if board else [])],
        "location": board.location if board else None,
        "line": {
            "type": f"{row.KIND}.progress",  # type: ignore[attr-defined]
            "uri": row.uri,  # type: ignore[attr-defined]
            "changes": {"progress": row.progress},  # type: ignore[attr-defined]
        },
    }
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, orjson.dumps(notification).decode()])
