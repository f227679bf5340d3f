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


def test_nothing_said_is_the_platform_of_make_up():
    assert config.place_of() == ("http://platform.localhost:8000", "")


def test_what_was_kept_holds_where_nothing_else_is_said():
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))

    assert config.place_of() == ("http://shop.test", "who:secret")
    assert config.place_of("http://shop.test/", "other:secret") == (
        "http://shop.test",
        "other:secret",
    )


def test_the_environment_comes_first(monkeypatch):
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))
    monkeypatch.setenv("MP_TOKEN", "other:secret")

    assert config.place_of() == ("http://shop.test", "other:secret")


def test_a_token_goes_to_no_other_installation(monkeypatch):
    config.write(json.dumps({"url": "http://shop.test", "token": "who:secret"}))
    monkeypatch.setenv("MP_URL", "http://elsewhere.test")

    assert config.place_of() == ("http://elsewhere.test", "")


def test_it_is_for_its_owner_alone(home):
    home.mkdir(parents=True)
    (home / "login.json").write_text("{}")
    (home / "login.json").chmod(0o644)

    config.write("{}")

    assert (home / "login.json").stat().st_mode & 0o777 == 0o600


def test_what_cannot_be_read_is_nothing(home):
    home.mkdir(parents=True)
    (home / "login.json").write_text("{")

    assert config.read() == {}
