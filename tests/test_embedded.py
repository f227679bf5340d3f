"""The database that the tests share."""

from django.db import connection

from tests.embedded import DATABASE


def test_a_test_may_rest_in_its_transaction(db):
    """What the tests' database is, is set by a fixture that another could hide."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW idle_in_transaction_session_timeout")
        assert cursor.fetchone() == ("0",)
    assert connection.settings_dict["TEST"]["TEMPLATE"] == DATABASE
