"""Configuration: environment or the file of `mp login`."""

import json
import os
from pathlib import Path

USUAL = "http://platform.localhost:8000"  # of `make up`


def place_of(url: str = "", token: str = "") -> tuple[str, str]:
    """Return the address and the token to use; a stored token is sent to its own address only."""
    stored = read()
    url = url or os.environ.get("MP_URL") or stored.get("url") or USUAL
    url = url.rstrip("/")
    if not token and not (token := os.environ.get("MP_TOKEN", "")) and url == stored.get("url"):
        token = stored.get("token", "")
    return url, token


def folder() -> Path:
    """`~/.config/manufacturing`, or where XDG_CONFIG_HOME says."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "manufacturing"


def read(name: str = "login.json") -> dict[str, str]:
    """Return the stored settings; empty where there are none or they cannot be read."""
    try:
        stored = json.loads((folder() / name).read_bytes())
    except (OSError, ValueError, RuntimeError):
        return {}
    return stored if isinstance(stored, dict) else {}


def write(text: str, name: str = "login.json") -> Path:
    """Keep it where its owner alone can read it."""
    folder().mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder() / name
    fresh = path.with_name(f".{name}.{os.getpid()}")
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    fresh.replace(path)
    return path
