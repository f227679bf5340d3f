"""Connection test of a host: its kind and version, and an upload that is compared and deleted."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from agent.http_client import Answer, HttpClient, nested
from machines.controller import READY
from machines.drivers import Driver, MachineStatus, NoAnswer, NotSent, Rejected

MAX_TEXT = 60  # characters of a host's version
CONTENT = b"; Connection test: nothing heats, nothing moves.\n"
TITLES = {"octoprint": "OctoPrint", "moonraker": "Moonraker", "prusalink": "PrusaLink"}
# Where each host shows the key.
KEY_HINTS = {
    "octoprint": "OctoPrint: Settings, Application Keys.",
    "moonraker": "Mainsail: Settings, API keys. Fluidd: Settings, Authentication.",
    "prusalink": "At the printer: Settings, Network, PrusaLink. Type user:password, or the key.",
}


class Host(NamedTuple):
    """The program that answers for a machine.

    driver : that speaks with it; title: its name and version
    """

    driver: str
    title: str


def identify(client: HttpClient) -> Host:
    """Return which host answers.

    Raises NotSent or NoAnswer without an answer, Rejected where the key is wrong or the host is
    none of a driver's.
    """
    answer = _accepted(client.ask("GET", "/api/version"))
    if answer.status == 200:
        about = _object(answer)
        text, server = _text(about.get("text")), _text(about.get("server"))
        driver = next((key for key, title in TITLES.items() if title in text), None)
        if driver and "Moonraker" not in text:
            numbered = any(letter.isdigit() for letter in text)
            return Host(driver, text if numbered else f"{text} {server}".strip())
    answer = _accepted(client.ask("GET", "/server/info"))
    if answer.status == 200:
        version = _text(nested(_object(answer), "result", "moonraker_version"))
        if version:
            return Host("moonraker", f"Moonraker {version}")
    raise Rejected("What answers is none of OctoPrint, Moonraker and PrusaLink: check the address.")


def check(driver_name: str, client: HttpClient, driver: Driver, folder: Path) -> Host:
    """Test a connection: kind of host, state, and upload of a file that is deleted again.

    folder : takes the file for a moment

    Raises NotSent, NoAnswer or Rejected, with a message that says what to do.
    """
    try:
        host = identify(client)
    except NotSent as error:
        raise NotSent(f"{error} Is the host on, and the address right?") from error
    except WrongKey as error:
        raise Rejected(f"{error} {KEY_HINTS[driver_name]}") from error
    if host.driver != driver_name:
        raise Rejected(
            f"{host.title} answers at this address, not {TITLES[driver_name]}: "
            f"choose the driver {host.driver}."
        )
    seen = driver.look()
    if seen.doing is MachineStatus.OFFLINE:
        raise Rejected(f"{host.title} answers, and its printer is offline: {seen.text}")
    if seen.doing in READY:  # else a print is under way, or a person has to look first
        _upload_and_delete(driver, folder)
    return host


def _upload_and_delete(driver: Driver, folder: Path) -> None:
    name = f"connection-test-{secrets.token_hex(4)}.gcode"
    file = folder / name
    file.write_bytes(CONTENT)
    try:
        try:
            driver.put(file, name)
        except (NoAnswer, Rejected):
            driver.drop(name)  # what may have arrived
            raise
        if not driver.drop(name):
            raise Rejected(f"{name} could not be deleted: delete it at the host.")
    except (NotSent, NoAnswer, Rejected) as error:
        raise Rejected(f"The test file was not uploaded, compared and deleted: {error}") from error
    finally:
        file.unlink(missing_ok=True)


class WrongKey(Rejected):
    """The host does not accept the key."""


def shown_address(address: str) -> str:
    """Return the address without a user or a password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"[:200]


def _accepted(answer: Answer) -> Answer:
    if answer.status in (401, 403):
        raise WrongKey(f"The host answers with {answer.status}: it does not accept the key.")
    return answer


def _object(answer: Answer) -> Mapping[str, object]:
    """Return the JSON object; empty for a page of something else."""
    try:
        return answer.json()
    except NoAnswer:
        return {}


def _text(value: object) -> str:
    return value.strip()[:MAX_TEXT] if isinstance(value, str) else ""
