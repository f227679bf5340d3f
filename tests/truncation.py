"""How a database is emptied after a test that commits: what has rows, and nothing else.

Django truncates all of its tables and makes its content types anew, which takes longer than most of
these tests.
"""

from django.db import connection
from django.test import TransactionTestCase

# Rows that no test makes.
KEPT = ("django_migrations", "django_content_type", "auth_permission")
EMPTY = """
DO $$
DECLARE
    each regclass;
    has_rows boolean;
    with_rows regclass[] := '{}';
BEGIN
    FOR each IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relname <> ALL (ARRAY[%s])
        AND relnamespace IN ('public'::regnamespace, 'dramatiq'::regnamespace)
    LOOP
        EXECUTE format('SELECT EXISTS (SELECT FROM %%s)', each) INTO has_rows;
        IF has_rows THEN
            with_rows := with_rows || each;
            -- Some would refuse, others count what goes.
            EXECUTE format('ALTER TABLE %%s DISABLE TRIGGER USER', each);
        END IF;
    END LOOP;
    FOREACH each IN ARRAY with_rows LOOP
        EXECUTE format('DELETE FROM %%s', each);
    END LOOP;
    SET CONSTRAINTS ALL IMMEDIATE;
    FOREACH each IN ARRAY with_rows LOOP
        EXECUTE format('ALTER TABLE %%s ENABLE TRIGGER USER', each);
    END LOOP;
END $$
""" % ", ".join(f"'{name}'" for name in KEPT)  # noqa: UP031  the braces are PostgreSQL's


def empty(case: TransactionTestCase) -> None:
    """Instead of Django's own `_fixture_teardown`."""
    with connection.cursor() as cursor:
        cursor.execute(EMPTY)
