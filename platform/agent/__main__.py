"""Command line of the agent: pair, add, test, spoolman, camera, engine, run."""

import argparse
import logging
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.connection_test import check
from agent.connections import DRIVERS, camera_of, client_of, driver_of, tested_machine
from agent.engine_kinds import KINDS
from agent.engine_sandbox import ISOLATION_TEXTS, best_sandbox
from agent.engines import chosen_kind, detect_engine, jobs_folder, remove_engine, store_engine
from agent.http_client import HttpClient
from agent.platform_client import PlatformClient
from agent.runner import AgentRunner
from agent.state import Machine, Spoolman, StateDir
from machines.drivers import NoAnswer, NotSent, Rejected

HOME = Path(os.environ.get("AGENT_DIR", Path.home() / ".manufacturing-agent"))


def main(arguments: Sequence[str] | None = None, *, home: Path = HOME) -> None:
    """Do what the command line asks; `home` is the folder, where it names none."""
    asked = parser(home).parse_args(arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO)
    folder = StateDir(asked.folder)
    try:
        COMMANDS[asked.what](folder, asked)
    except (NotSent, NoAnswer, Rejected, ValueError) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass


def parser(home: Path) -> argparse.ArgumentParser:
    """What can be asked."""
    made = argparse.ArgumentParser(prog="agent", description="Drives the machines of a shop.")
    made.add_argument("--folder", type=Path, default=home, help="where it keeps what it needs")
    what = made.add_subparsers(dest="what", required=True)
    pairing = what.add_parser("pair", help="make it known to the platform")
    pairing.add_argument("address", help="https://erp.example.com")
    pairing.add_argument("code", help="what the platform showed")
    adding = what.add_parser("add", help="name a machine, and try it")
    adding.add_argument("printer", help="its URI at the platform")
    adding.add_argument("address", help="http://192.168.1.20")
    adding.add_argument("--driver", choices=sorted(DRIVERS), default="octoprint")
    adding.add_argument("--nozzle", type=float, default=300.0, help="its hottest, degrees C")
    adding.add_argument("--bed", type=float, default=120.0, help="its hottest, degrees C")
    testing = what.add_parser("test", help="test the connections: nothing heats, nothing moves")
    testing.add_argument("printer", nargs="?", help="URI of one printer; default: all")
    spools = what.add_parser("spoolman", help="name the shop's Spoolman, and try it")
    spools.add_argument("spoolman", metavar="address", help="http://192.168.1.5:7912")
    spools.add_argument("--read-only", action="store_true", help="never write into it")
    pictures = what.add_parser("camera", help="name the camera of a machine, and try it")
    pictures.add_argument("printer", help="URI of its printer at the platform")
    pictures.add_argument(
        "url", help="of its snapshots or its MJPEG stream; an empty one: as its host names it"
    )
    slicer = what.add_parser("engine", help="name a slicer of this computer, and try it")
    slicer.add_argument("program", help="path of its program, or of its AppImage")
    slicer.add_argument("--kind", choices=sorted(KINDS), help="default: by the program's name")
    slicer.add_argument("--remove", action="store_true", help="have it run no more")
    what.add_parser("run", help="work")
    return made


def pair(folder: StateDir, asked: argparse.Namespace) -> None:
    """Trade the code for a token."""
    pairing = PlatformClient(asked.address).pair(asked.code)
    folder.change(address=asked.address, token=pairing["token"])
    sys.stdout.write(f"This is {pairing['name']} now.\n")


def add(folder: StateDir, asked: argparse.Namespace) -> None:
    """Keep a machine; its key comes from AGENT_KEY or is typed: no list of processes has it."""
    key = os.environ.get("AGENT_KEY") or input("Its key: ")
    machine = Machine(
        asked.printer, asked.driver, asked.address, key.strip(), asked.nozzle, asked.bed
    )
    host, machine = _checked(machine, folder)
    folder.add(machine)
    sys.stdout.write(f"{host} is connected. Start the agent anew to have it driven.\n")


def test(folder: StateDir, options: argparse.Namespace) -> None:
    """Test the connections of all machines, or of one."""
    failed = 0
    for machine in folder.machines:
        if options.printer in (None, machine.printer):
            try:
                result = f"{_checked(machine, folder)[0]} is connected."
            except (NotSent, NoAnswer, Rejected) as error:
                result, failed = str(error), failed + 1
            sys.stdout.write(f"{machine.printer}: {result}\n")
    if failed:
        sys.exit(1)


def _checked(machine: Machine, folder: StateDir) -> tuple[str, Machine]:
    """Return the title of a machine's host, and the machine as it is stored after the test."""
    client, driver = client_of(machine, folder), driver_of(machine, folder)
    host = check(machine.driver, client, driver, folder.path)
    return host.title, tested_machine(machine, driver)


def spoolman(folder: StateDir, asked: argparse.Namespace) -> None:
    """Keep where the shop's Spoolman is."""
    named = Spoolman(asked.spoolman, not asked.read_only)
    version = HttpClient(named.address, {}, folder.networks).ask("GET", "/api/v1/info").json()
    folder.change(spoolman=named._asdict())
    sys.stdout.write(
        f"It is Spoolman {version.get('version')}. Start the agent anew to have it compared.\n"
    )


def camera(folder: StateDir, options: argparse.Namespace) -> None:
    """Keep where the pictures of a machine's camera are, after one was taken."""
    stored = next((row for row in folder.machines if row.printer == options.printer), None)
    if stored is None:
        raise ValueError(f"{options.printer} is no printer of this agent: add it first.")
    machine = stored._replace(camera=options.url)
    source = camera_of(machine, folder)
    try:
        picture = source.take()
    finally:
        source.release()
    if picture is None:
        raise ValueError("Its host names no camera.")
    folder.add(machine)
    sys.stdout.write(
        f"The camera sent {len(picture)} bytes. Start the agent anew to have it used.\n"
    )


def engine(folder: StateDir, options: argparse.Namespace) -> None:
    """Store a slicer's program after it has stated its version, or remove it."""
    if options.remove:
        kind = chosen_kind(Path(options.program), options.kind)
        if not remove_engine(folder, kind):
            raise ValueError(f"This agent has no {KINDS[kind].title}.")
        sys.stdout.write(f"{KINDS[kind].title} is removed. Start the agent anew.\n")
        return
    sandbox = best_sandbox(jobs_folder(folder))
    added = detect_engine(options.program, options.kind, sandbox)
    store_engine(folder, added)
    sys.stdout.write(
        f"It is {KINDS[added.kind].title} {added.version}, isolated by {sandbox.isolation}: "
        f"{ISOLATION_TEXTS[sandbox.isolation]}\nStart the agent anew to have it used.\n"
    )


def run(folder: StateDir, asked: argparse.Namespace) -> None:
    """Work until the process is ended."""
    with folder.held():
        AgentRunner(folder).run()


COMMANDS = {
    "pair": pair,
    "add": add,
    "test": test,
    "spoolman": spoolman,
    "camera": camera,
    "engine": engine,
    "run": run,
}

if __name__ == "__main__":
    main()
