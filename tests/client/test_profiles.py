"""Where an installation is, and who asks."""

import json

import pytest

from manufacturing import config


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for name in ("MP_URL", "MP_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "manufacturing"


def test_default_url_is_the_platform_of_make_up():
    assert config.place_of() == ("http://platform.localhost:8000", "")


def test_stored_login_is_used_unless_arguments_override_it():
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))

    assert config.place_of() == ("http://shop.test", "who:secret")
    assert config.place_of("http://shop.test/", "other:secret") == (
        "http://shop.test",
        "other:secret",
    )


def test_environment_token_overrides_the_stored_login(monkeypatch):
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))
    monkeypatch.setenv("MP_TOKEN", "other:secret")

    assert config.place_of() == ("http://shop.test", "other:secret")


def test_stored_token_is_not_used_for_another_installation(monkeypatch):
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))
    monkeypatch.setenv("MP_URL", "http://elsewhere.test")

    assert config.place_of() == ("http://elsewhere.test", "")


def test_stored_login_is_written_with_mode_0600(home):
    home.mkdir(parents=True)
    (home / "login.json").write_text("{}")
    (home / "login.json").chmod(0o644)

    config.write("{}")

    assert (home / "login.json").stat().st_mode & 0o777 == 0o600


def test_unreadable_login_file_is_treated_as_empty(home):
    home.mkdir(parents=True)
    (home / "login.json").write_text("{")

    assert config.read() == {}
