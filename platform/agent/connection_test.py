"""Connection test of a host: its kind and version, and an upload that is compared and deleted."""

import re
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable
from urllib.parse import urlsplit

from agent.http_client import Answer, HttpClient, nested
from agent.sockets import AddressNotAllowed
from machines.connections import MAX_TEXT, StepResult, TestProblem, TestStep
from machines.controller import READY
from machines.drivers import Driver, MachineStatus, NoAnswer, NotSent, Rejected, WrongKey

CONTENT = b"; Connection test: nothing heats, nothing moves.\n"
TITLES = {"octoprint": "OctoPrint", "moonraker": "Moonraker", "prusalink": "PrusaLink"}
NO_HOST = "What answers is none of OctoPrint, Moonraker and PrusaLink: check the address."
# Where each host shows the key.
KEY_HINTS = {
    "octoprint": "OctoPrint: Settings, Application Keys.",
    "moonraker": "Mainsail: Settings, API keys. Fluidd: Settings, Authentication.",
    "prusalink": "At the printer: Settings, Network, PrusaLink. Type user:password, or the key.",
    "bambu": "At the printer: Settings, LAN Only, Access Code.",
    "elegoo": "The printer has no key.",
}
# The first version whose API a driver speaks.
MIN_VERSIONS = {"octoprint": (1, 3, 6), "moonraker": (0, 7), "prusalink": (0, 7)}
_NUMBERS = re.compile(r"\d+(?:\.\d+)+").search


class Host(NamedTuple):
    """The program that answers for a machine.

    driver : that speaks with it; title: its name and version
    """

    driver: str
    title: str


class StepReport(NamedTuple):
    """A step of a test that was done; text: a version, or the reason of a failure."""

    step: TestStep
    result: StepResult
    text: str = ""
    problem: TestProblem | None = None


class TestFailed(Rejected):
    """A step of a connection test failed."""

    def __init__(self, step: TestStep, problem: TestProblem, message: str):
        super().__init__(message)
        self.report = StepReport(step, StepResult.FAILED, message, problem)


class CommandsOff(Rejected):
    """The host reports its state, and is set up not to take commands."""


class NoHost(Rejected):
    """What answers is the host of no driver."""


@runtime_checkable
class Identifying(Protocol):
    """A driver of hosts without an HTTP API, which finds out itself what answers."""

    def identify(self) -> Host:
        """As `identify`; raises CommandsOff, too."""

    def close(self) -> None:
        """Close the connection, which is opened again where it is needed: hosts take few."""


def close_connection(driver: Driver) -> None:
    """Close the connection of a driver that is not used any more."""
    if isinstance(driver, Identifying):
        driver.close()


def identity_of(driver: Driver, client: HttpClient) -> Host:
    """Return which host answers a driver. Raises as `identify`, and CommandsOff."""
    return driver.identify() if isinstance(driver, Identifying) else identify(client)


def identify(client: HttpClient) -> Host:
    """Return which host answers at an HTTP API.

    Raises NotSent or NoAnswer without an answer, WrongKey, and NoHost where the host is none of a
    driver's.
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
    raise NoHost(NO_HOST)


def check(
    driver_name: str,
    client: HttpClient,
    driver: Driver,
    folder: Path,
    report: Callable[[StepReport], None] = lambda row: None,
) -> Host:
    """Test a connection: kind of host, state, and upload of a file that is deleted again.

    folder : takes the file for a moment
    report : is called after each step that passed or was skipped

    Raises TestFailed, with a message that says what to do.
    """
    try:
        host = _identified(driver_name, partial(identity_of, driver, client), report)
        seen = driver.look()
        if seen.doing is MachineStatus.OFFLINE:
            text = f"{host.title} answers, and its printer is offline: {seen.text}"
            raise TestFailed(TestStep.PRINTER, TestProblem.PRINTER_OFFLINE, text)
        report(StepReport(TestStep.PRINTER, StepResult.PASSED, seen.doing.value))
        if seen.doing in READY:
            _upload_and_delete(driver, folder, report)
        else:  # a print is under way, or a person has to look first
            report(StepReport(TestStep.UPLOAD, StepResult.SKIPPED, seen.doing.value))
            report(StepReport(TestStep.DELETE, StepResult.SKIPPED, seen.doing.value))
        return host
    finally:
        close_connection(driver)


def _identified(
    driver_name: str, identify: Callable[[], Host], report: Callable[[StepReport], None]
) -> Host:
    try:
        host = identify()
    except AddressNotAllowed as error:
        raise TestFailed(TestStep.REACH, TestProblem.NOT_ALLOWED, str(error)) from error
    except (NotSent, NoAnswer) as error:
        text = f"{error} Is the host on, and the address right?"
        raise TestFailed(TestStep.REACH, TestProblem.NOT_REACHABLE, text) from error
    except WrongKey as error:
        report(StepReport(TestStep.REACH, StepResult.PASSED))
        text = f"{error} {KEY_HINTS[driver_name]}"
        raise TestFailed(TestStep.KEY, TestProblem.WRONG_KEY, text) from error
    except CommandsOff as error:
        report(StepReport(TestStep.REACH, StepResult.PASSED))
        raise TestFailed(TestStep.KEY, TestProblem.COMMANDS_OFF, str(error)) from error
    except NoHost as error:
        report(StepReport(TestStep.REACH, StepResult.PASSED))
        raise TestFailed(TestStep.KIND, TestProblem.NO_HOST, str(error)) from error
    report(StepReport(TestStep.REACH, StepResult.PASSED))
    report(StepReport(TestStep.KEY, StepResult.PASSED))
    if host.driver != driver_name:
        text = (
            f"{host.title} answers at this address, not {TITLES[driver_name]}: "
            f"choose the driver {host.driver}."
        )
        raise TestFailed(TestStep.KIND, TestProblem.OTHER_KIND, text)
    if is_outdated(host):
        first = ".".join(map(str, MIN_VERSIONS[host.driver]))
        text = f"{host.title} is too old: update it to version {first} or later."
        raise TestFailed(TestStep.KIND, TestProblem.OUTDATED, text)
    report(StepReport(TestStep.KIND, StepResult.PASSED, host.title))
    return host


def is_outdated(host: Host) -> bool:
    """Return whether the version of a host is below the first that its driver speaks with."""
    numbers = _NUMBERS(host.title)
    version = tuple(int(part[:6]) for part in numbers[0].split(".")[:3]) if numbers else None
    return version is not None and version < MIN_VERSIONS.get(host.driver, ())


def _upload_and_delete(driver: Driver, folder: Path, report: Callable[[StepReport], None]) -> None:
    name = f"connection-test-{secrets.token_hex(4)}.gcode"
    file = folder / name
    file.write_bytes(CONTENT)
    step, problem = TestStep.UPLOAD, TestProblem.UPLOAD_FAILED
    try:
        try:
            driver.put(file, name)
        except (NoAnswer, Rejected):
            driver.drop(name)  # what may have arrived
            raise
        report(StepReport(step, StepResult.PASSED, f"{len(CONTENT)} bytes"))
        step, problem = TestStep.DELETE, TestProblem.DELETE_FAILED
        if not driver.drop(name):
            raise Rejected(f"{name} could not be deleted: delete it at the host.")
        report(StepReport(step, StepResult.PASSED))
    except (NotSent, NoAnswer, Rejected) as error:
        text = f"The test file was not uploaded, compared and deleted: {error}"
        raise TestFailed(step, problem, text) from error
    finally:
        file.unlink(missing_ok=True)


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
    """Return a text of a host in one line of printable characters."""
    text = value if isinstance(value, str) else ""
    return "".join(each for each in text.strip()[:MAX_TEXT] if each.isprintable())
