"""Links that sign an operator in once."""

import re
from datetime import datetime, timedelta
from io import StringIO

import pyotp
import pytest
from django.core.management import CommandError, call_command

from apps.users.models import User
from apps.users.services import login_links
from ops.management.commands import up
from tests.users.conftest import PASSWORD


@pytest.fixture
def use(client_of):
    """`use(link)`: how the API answers to the token of a link."""

    def send(link: str, **further):
        token = re.fullmatch(r"http://platform\.test/sign-in/([\w-]+)/", link)[1]
        return client_of("users").post("/sessions/by-link/", {"token": token, **further})

    return send


def printed(*arguments: str) -> str:
    out = StringIO()
    call_command("login_link", *arguments, stdout=out)
    return out.getvalue().strip()


def test_login_link_signs_administrator_in_once(use, operator):
    link = printed("root")

    first, second = use(link), use(link)

    assert first.status_code == 201
    assert first.json()["username"] == "root"
    assert first.cookies["session"]["httponly"]
    assert second.status_code == 404
    assert "session" not in second.cookies


def test_login_link_of_earlier_version_is_accepted(use, operator):
    class EarlierTokens(login_links.LinkTokens):
        key_salt = "apps.users.services.links"  # as 0.9.0 signed them

    token = EarlierTokens().make_token(operator)

    assert use(f"http://platform.test/sign-in/{operator.pk.hex}{token}/").status_code == 201


def test_using_a_login_link_invalidates_other_links(use, operator):
    first, second = printed("root"), printed("root")

    assert use(second).status_code == 201
    assert use(first).status_code == 404


def test_login_link_expires_after_one_hour(use, operator, monkeypatch):
    link = printed("root")
    monkeypatch.setattr(login_links.tokens, "_now", lambda: datetime.now() + timedelta(minutes=61))

    assert use(link).status_code == 404


def test_login_link_is_invalidated_by_login_and_by_password_change(use, operator, sign_in):
    link = printed("root")
    sign_in("root")
    assert use(link).status_code == 404

    link = printed("root")
    operator.refresh_from_db()
    operator.set_password("another long pass phrase")
    operator.save()
    assert use(link).status_code == 404


def test_login_link_requires_the_second_factor(use, operator, sign_in):
    root = sign_in("root")
    made = root.post("/one-time-passwords/", {"password": PASSWORD}).json()
    codes = pyotp.TOTP(made["secret"])
    assert root.put(made["uri"], {"one_time_password": codes.now()}).status_code == 204
    link = printed("root")

    refused = use(link)

    assert refused.status_code == 403
    assert refused.json()["errors"][0]["code"] == "one-time-password-required"
    assert use(link, one_time_password="000000").status_code == 403
    later = codes.at(datetime.now() + timedelta(seconds=30))
    assert use(link, one_time_password=later).status_code == 201


def test_login_link_is_issued_only_to_administrators(use, person, operator):
    with pytest.raises(CommandError, match="No operator is called ada"):
        printed("ada")
    assert use(login_links.make(person)).status_code == 404


def test_password_reset_token_is_rejected_as_login_link(use, operator):
    from django.contrib.auth.tokens import default_token_generator

    token = operator.pk.hex + default_token_generator.make_token(operator)

    assert use(f"http://platform.test/sign-in/{token}/").status_code == 404


@pytest.mark.parametrize("token", ["x", "0" * 32, f"{'0' * 32}abc-def", "é" * 40])
def test_forged_login_link_token_returns_404(client_of, operator, token):
    answer = client_of("users").post("/sessions/by-link/", {"token": token})

    assert answer.status_code == 404


def test_first_login_link_is_offered_until_first_administrator_login(use, operator, person):
    link = login_links.first()
    User.objects.filter(pk=person.pk).update(last_login=person.date_joined)

    assert login_links.first() is None
    assert use(link).status_code == 201


def test_up_command_prints_first_login_link_unless_password_is_configured(operator, monkeypatch):
    out = StringIO()
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", PASSWORD)
    up.Command(stdout=out)._offer_link()
    assert out.getvalue() == ""

    monkeypatch.delenv("DJANGO_SUPERUSER_PASSWORD")
    up.Command(stdout=out)._offer_link()

    assert "http://platform.test/sign-in/" in out.getvalue()
