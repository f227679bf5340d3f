"""Stripe accounts of bureaus: secrets are never returned, and only owners see the account."""

import pytest

from apps.callbacks.models import Event
from apps.erp.models import CardAccount
from core.outbound.stored_secrets import decrypted, encrypted
from tests.erp.test_prices import refused
from tests.stripe_server import KEY, SECRET

pytestmark = pytest.mark.django_db


def test_secrets_are_stored_encrypted_and_never_returned(erp, bureau, account, stripe):
    row = CardAccount.objects.get()
    answers = [erp.get(account["uri"]), erp.get("/card-account/")]

    assert KEY.encode() not in bytes(row.secret_key)
    assert SECRET.encode() not in bytes(row.webhook_secret)
    assert (row.plain_key, row.plain_webhook_secret) == (KEY, SECRET)
    assert not [a for a in answers if KEY in a.content.decode() or SECRET in a.content.decode()]
    assert {name: account[name] for name in ("enabled", "mode", "signed", "error")} == {
        "enabled": True,
        "mode": "test",
        "signed": True,
        "error": None,
    }
    assert account["webhook_url"] == f"http://sales.platform.test/stripe/{row.bureau_id}/"
    assert not Event.objects.filter(type__startswith="card-account").exists()


def test_secret_belongs_to_its_row(db):
    stored = encrypted(KEY, row="a")

    assert decrypted(stored, row="a") == KEY
    assert decrypted(stored, row="b") == ""
    assert decrypted(stored[:5], row="a") == ""
    assert stored != encrypted(KEY, row="a")
    assert (encrypted("", row="a"), decrypted(b"", row="a")) == (b"", "")


def test_account_put_back_keeps_its_secrets(erp, account):
    assert erp.put(account["uri"], account).status_code == 204
    assert erp.put(account["uri"], {"enabled": False}).status_code == 204

    row = CardAccount.objects.get()
    assert (row.enabled, row.plain_key, row.plain_webhook_secret) == (False, KEY, SECRET)


def test_secrets_can_be_replaced(erp, account):
    new = {"secret_key": "rk_live_Another0123", "webhook_secret": "whsec_Another0123"}

    assert erp.put(account["uri"], new).status_code == 204

    row = CardAccount.objects.get()
    assert (row.plain_key, row.plain_webhook_secret) == tuple(new.values())
    assert erp.get(account["uri"]).json()["mode"] == "live"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("secret_key", "pk_test_0123456789"),
        ("secret_key", "sk_test_ä123456789"),
        ("secret_key", ""),
        ("webhook_secret", "sk_test_0123456789"),
        ("webhook_secret", ""),
    ],
)
def test_account_is_checked(erp, bureau, field, value):
    body = {"secret_key": KEY, "webhook_secret": SECRET, "enabled": True, field: value}

    answer = erp.post("/card-account/", {"bureau": bureau["uri"], **body})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == field
    assert value == "" or value not in answer.content.decode()


def test_bureau_has_one_account(erp, bureau, account):
    again = erp.post("/card-account/", {"bureau": bureau["uri"], "secret_key": KEY})

    assert refused(again) == {("resource-exists", None)}
    assert erp.delete(account["uri"]).status_code == 204


def test_only_owners_see_and_change_the_account(client_of, member, seller, account, bureau):
    for person in (member, seller):
        client = client_of("erp", person)
        assert client.get(account["uri"]).status_code == 404
        assert client.get("/card-account/").json()["resources"] == []
        assert client.put(account["uri"], {"enabled": False}).status_code == 404
        assert client.post(f"{account['uri']}test/").status_code == 404
        body = {"bureau": bureau["uri"], "secret_key": KEY}
        assert client.post("/card-account/", body).status_code == 403


def test_keys_are_tested(erp, account, stripe):
    good = erp.post(f"{account['uri']}test/").json()
    stripe.keys = []
    bad = erp.post(f"{account['uri']}test/").json()
    stored = erp.get(account["uri"]).json()["error"]

    assert good == {"works": True, "mode": "test", "currencies": ["EUR"], "error": None}
    assert (bad["works"], bad["currencies"]) == (False, [])
    assert "Invalid API Key" in bad["error"]
    assert KEY not in bad["error"]
    assert stored == bad["error"]


def test_keys_of_another_installation_have_to_be_entered_again(erp, account, settings):
    settings.WEBHOOK_KEY = "another"

    row = erp.get(account["uri"]).json()
    tested = erp.post(f"{account['uri']}test/").json()

    assert row["mode"] is None
    assert (tested["works"], "enter them again" in tested["error"]) == (False, True)
