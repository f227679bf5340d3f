"""`mp login`: reads the token from a prompt, never from arguments."""

import json
import os
import sys
from typing import Annotated

import typer

from manufacturing import Client, Refused, config
from manufacturing.cli.output import AsJson, give, say
from manufacturing.client import JSON
from manufacturing.request_encoding import body_of


def login(
    url: Annotated[str, typer.Argument(help="The platform's bare domain.")] = "",
    *,
    user: Annotated[
        str, typer.Option(help="Make a token for this account; its password is asked for.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Keep an API token, for `mp` and for programs.

    It is asked for, or read from MP_TOKEN, or from the standard input where that is no terminal;
    it is checked, and kept in ~/.config/manufacturing/ for you alone.
    """
    url = (url or config.place_of()[0]).rstrip("/")
    token = token_of(url, user) if user else given_token()
    with Client(url, token) as client:
        who = client.users.session()
    path = config.write(json.dumps({"url": url, "token": token}))
    say(f"{who['username']} at {url}: kept in {path}.")
    if as_json:
        give({"url": url, "username": who["username"], "uri": who["uri"]})


def given_token() -> str:
    """The token as it is given."""
    token = os.environ.get("MP_TOKEN") or secret("API token (uuid:secret)")
    if ":" not in token:
        raise ValueError("A token is uuid:secret, as it was shown when it was made.")
    return token


def token_of(url: str, user: str) -> str:
    """A new token of an account: it signs in once for that."""
    password = secret(f"Password of {user}")
    code = ""
    with Client(url, "") as client:
        while True:
            fields = {"username": user, "password": password}
            fields |= {"one_time_password": code} if code else {}
            place = client.transport.url("users", "/sessions/")
            try:
                signed_in = client.transport.request("POST", place, body_of(fields), JSON)
                break
            except Refused as refused:
                if code or "one-time-password-required" not in refused.codes:
                    raise
                code = secret("One-time password")
        cookie = signed_in.headers.get("Set-Cookie", "").partition(";")[0]
        place = client.transport.url("users", "/api_tokens/")
        named = body_of({"name": "mp"})
        made = client.transport.request("POST", place, named, {**JSON, "Cookie": cookie}).json()
        session = client.transport.url("users", "/sessions/")
        client.transport.request("DELETE", session, headers={"Cookie": cookie})
    return f"{made['uuid']}:{made['secret']}"


def secret(words: str) -> str:
    """What is typed unseen, or a line of the standard input."""
    if sys.stdin.isatty():
        return str(typer.prompt(words, hide_input=True, err=True)).strip()
    return sys.stdin.readline().strip()
