"""Recomputes the stored bytes per account (core.models.Usage), which triggers keep."""

from django.db import connection

_COUNTED = """
    SELECT tgrelid::regclass::text,
        coalesce(nullif(split_part(encode(tgargs, 'escape'), E'\\\\000', 1), ''), 'content_id')
    FROM pg_trigger
    JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname = 'core_count_bytes'
    ORDER BY 1, 2
"""
_FILES = "SELECT owner_id, {} AS content_id FROM {} WHERE deleted IS NULL"
# What is kept and what is said are of one moment, and only the difference is written: what the
# triggers add meanwhile stays.
_CORRECT = """
    INSERT INTO core_usage AS u (account, bytes)
    SELECT account, coalesce(kept.bytes, 0) - coalesce(said.bytes, 0) FROM (
        SELECT files.owner_id AS account, sum(size) AS bytes FROM ({files}) AS files
        JOIN core_blob ON sha256 = files.content_id GROUP BY 1
    ) AS kept FULL JOIN core_usage AS said USING (account)
    WHERE coalesce(kept.bytes, 0) <> coalesce(said.bytes, 0)
    ON CONFLICT (account) DO UPDATE SET bytes = u.bytes + EXCLUDED.bytes
    RETURNING account
"""


def correct() -> int:
    """Count anew what each account keeps; how many were wrong."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTED)
        files = " UNION ALL ".join(
            _FILES.format(column, table) for table, column in cursor.fetchall()
        )
        cursor.execute(_CORRECT.format(files=files))
        return len(cursor.fetchall())
