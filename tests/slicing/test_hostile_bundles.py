"""Bundles that mean harm, put where the package's lie: each is told, and the rest stays."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from apps.slicing.configs import bundles
from apps.slicing.domain.catalogue import Catalogue, Preset, catalogue
from apps.slicing.domain.installed_engines import prusaslicer

pytestmark = [pytest.mark.engine]

if prusaslicer().version() is None:
    pytest.skip(prusaslicer().missing(), allow_module_level=True)

# s of CPU for the whole catalogue: twice what is promised, since a busy core counts up to double.
MAX_SPEED = 4.0
OF_ACME = 11  # presets


def condition(text: str) -> str:
    return f"[printer:Q]\n[print:P]\ncompatible_printers_condition = {text}\n"


def heirs(settings: str, count: int, kind: str = "print") -> str:
    """So many presets of one parent."""
    return f"[{kind}:*all*]\n{settings}\n" + "".join(
        f"[{kind}:P{n}]\ninherits = *all*\n" for n in range(count)
    )


def doubling(levels: int) -> str:
    lines = [f"[print:P{n}]\ninherits = P{n + 1}; P{n + 1}" for n in range(levels)]
    return "\n".join([*lines, f"[print:P{levels}]"])


def chain(length: int) -> str:
    lines = [f"[print:P{n}]\ninherits = P{n + 1}" for n in range(length)]
    return "\n".join([*lines, f"[print:P{length}]"])


# What is in the file, and words of what is said of it.
TOLD = {
    # no bundles
    "zero": ("[print:P]\nperimeters = 1\x00\n", "U+0000 is not allowed"),
    "escape": ("[print:P]\nperimeters = 1\x1b[31m\n", "U+001B is not allowed"),
    "hidden line end": ("[print:P]\nnotes = 1\u2028post_process = x\n", "U+2028 is not"),
    "lone carriage return": ("[print:P]\nnotes = 1\rpost_process = x\n", "U+000D is not"),
    "vertical tab": ("[print:P]\x0bperimeters = 1\n", "U+000B is not"),
    "no section": ("perimeters = 1\n", "no setting in a section"),
    "no setting": ("[print:P]\nwhatever\n", "no setting in a section"),
    "unclosed section": ("[print:P\nperimeters = 1\n", "is no section"),
    "a section in capitals": ("[PRINT:P]\n", "is no section"),
    "twice": ("[print:P]\n[print:P]\n", "is there twice"),
    "not UTF-8": (b"[print:P]\nperimeters = \xff\xfe\n", "not UTF-8"),
    "UTF-16": ("[print:P]\n".encode("utf-16"), "not UTF-8"),
    "a lone surrogate": (b"[print:\xed\xa0\x80]\n", "not UTF-8"),
    "a page of the web": ("<!doctype html><html></html>", "no setting in a section"),
    "an archive": (b"PK\x03\x04" + bytes(100), "U+0003 is not allowed"),
    # names
    "a long name": (f"[print:{'P' * 201}]\n", "a name is longer"),
    "a huge model": (f"[printer_model:M]\nname = {'x' * 300}\n", "name of [printer_model:M] is"),
    # parents
    "a circle": ("[print:P]\ninherits = Q\n[print:Q]\ninherits = P\n", "inherits from itself"),
    "oneself": ("[print:P]\ninherits = P\n", "inherits from itself"),
    "nobody": ("[print:P]\ninherits = Q\n", "which is not in the bundle"),
    "another kind": ("[print:P]\ninherits = F\n[filament:F]\n", "which is not in the bundle"),
    "thirty generations": (chain(30), "more than 20 presets"),
    # settings
    "a program": ("[print:P]\npost_process = /bin/true\n", "programs are not run"),
    "a program inherited": (heirs("post_process = /bin/true", 5), "programs are not run"),
    "resin": ("[printer:P]\nprinter_technology = SLA\n", "lay down filament"),
    "endless": ("[printer:P]\nmax_print_height = 1e999\n", "is not a number"),
    "too large": ("[printer:P]\nmax_print_height = 1e99\n", "too large a number"),
    "digits": (f"[print:P]\nperimeters = {'9' * 90_000}\n", "is not a number"),
    "an endless bed": ("[printer:P]\nbed_shape = 0x0,1e999x0,1x1\n", "write corners"),
    # conditions
    "a condition that counts": (condition("printer_notes=~/((a{99}){99}){99}/"), "or counts"),
    "a long expression": (condition(f"printer_notes=~/{'a' * 101}/"), "longer than 100"),
    "a long condition": (condition("num_extruders==1 or " * 300 + "1"), "longer than 4000"),
    "deep negations": (condition("!" * 3000 + "1"), "deeper than 40"),
    "deep parentheses": (condition("(" * 3000 + "1"), "deeper than 40"),
    "an index of many digits": (condition(f"nozzle_diameter[{'9' * 400}]==1"), "is missing"),
    "Python": (condition("__import__('os').system('true')"), "cannot be read"),
}


# The same, of megabytes: made where they are needed.
LARGE: dict[str, tuple[Callable[[], str], str]] = {
    "a huge section": (lambda: f"[print:{']' * 3_900_000}\n", "a name is longer"),
    "a huge vendor": (
        lambda: f"[vendor]\nname = {'x' * 3_900_000}\n",
        "name of [vendor:] is longer",
    ),
    "a huge parent": (lambda: f"[print:P]\ninherits = {'x' * 3_900_000}\n", "is not in the bundle"),
    "a million parents": (
        lambda: "[print:P]\ninherits = " + "Q;" * 1_000_000 + "\n[print:Q]",
        "take over",
    ),
    "digits and spaces": (
        lambda: f"[print:P]\nperimeters = {'1 ' * 1_900_000}x\n",
        "is longer than",
    ),
    "a bed of many corners": (
        lambda: f"[printer:P]\nbed_shape = {'0x0,' * 900_000}0x0\n",
        "is longer",
    ),
    "a huge text": (lambda: f"[print:P]\nlayer_gcode = {'x' * 3_900_000}\n", "longer than 100,000"),
    "a million presets": (
        lambda: "".join(f"[print:{n:x}]\n" for n in range(250_000)),
        "10,000 presets",
    ),
    "a million settings": (lambda: "[print:P]\n" + "a=\n" * 1_000_000, "100,000 settings"),
    "a wide preset": (
        lambda: "[print:P]\n" + "".join(f"s{n}=1\n" for n in range(90_000)),
        "5,000 settings",
    ),
    "wide parents": (
        lambda: heirs("".join(f"s{n} = 1\n" for n in range(4000)), 9000),
        "take over more",
    ),
    "wide parents that are all inherited": (
        lambda: (
            heirs("".join(f"s{n} = 1\n" for n in range(4000)), 200)
            + "".join(f"[print:Q{n}]\ninherits = P{n}\n" for n in range(200))
        ),
        "hand more than",
    ),
    "thousands of conditions": (
        lambda: "".join(
            f"[print:P{n}]\ncompatible_printers_condition = printer_notes=~/.*{'a*' * 30}{n}/\n"
            for n in range(3000)
        ),
        "conditions have more than",
    ),
}


def a_dead_link(path: Path) -> None:
    path.symlink_to("nowhere")


def a_link_to_itself(path: Path) -> None:
    path.symlink_to(path)


def an_endless_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_hundred_megabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000)


FILES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a dead link": (a_dead_link, "no file"),
    "a link to itself": (a_link_to_itself, "no file"),
    "an endless device": (an_endless_device, "no file"),
    "a pipe that nobody writes to": (os.mkfifo, "no file"),
    "a folder": (Path.mkdir, "no file"),
    "100 MB": (a_hundred_megabytes, "larger than 4,000,000 bytes"),
}

# Large or costly, and harmless.
IN_TIME = {
    "parents doubled twenty times": doubling(19),
    "a broken parent of many": heirs("inherits = " + "Q;" * 1_800_000, 9000),
    "heavy parents": heirs("notes = " + "x" * 3_000_000, 9000),
    "heavy pictures": heirs("thumbnails = " + "1x1," * 900_000, 9000, "printer"),
    "a bomb of a condition": heirs(f"printer_notes = {'a' * 1900}", 1, "printer")
    + "[print:P]\ncompatible_printers_condition = printer_notes=~/(a*)*(a*)*b/\n",
    "a costly condition of many": heirs(f"printer_notes = {'a' * 1900}", 9, "printer")
    + heirs(
        "compatible_printers_condition = "
        + " and ".join(["printer_notes=~/(a*)*(a|b)*/"] * 120),
        5000,
    ),
    "conditions that ask for everything": heirs("notes = 1", 4900)
    + heirs(
        "compatible_prints_condition = " + " ".join(f"s{n}" for n in range(600)), 4900, "filament"
    ),
    "ten thousand printers": "".join(f"[printer:{n}]\n" for n in range(9_999)),
    "beds of many corners": heirs(
        "bed_shape = " + ",".join(f"{n}x{n * n / 90:g}" for n in range(900)), 3000, "printer"
    ),
    "much gcode": heirs("layer_gcode = " + "G92 E1\\n" * 10_000, 600, "printer"),
    "settings that all differ": "".join(
        f"[print:P{n}]\n" + "".join(f"perimeters = {n}{m}\n" for m in range(9))
        for n in range(9_900)
    ),
}  # fmt: skip


@pytest.fixture
def evil(presets_folder) -> Path:
    """Where the bundle goes: beside one of the package's."""
    return presets_folder / "Evil.ini"


def read(folder: Path) -> tuple[Catalogue, list[Preset]]:
    """The catalogue, read in time and with all that is not evil; and what is."""
    prusaslicer().defaults()  # known, wherever presets are asked for
    begun = time.process_time()
    found = Catalogue(folder)
    mine = [row for row in found if row.bundle == "Evil"]
    for row in mine[:10]:
        assert row.digest
        if row.kind == "printer":
            found.defaults_of(row)
    spent = time.process_time() - begun

    assert spent < MAX_SPEED
    assert sum(row.bundle == "Acme" and row.vendor == "Acme & Sons" for row in found) == OF_ACME
    assert json.dumps([[row.reasons, row.notes, row.facts] for row in mine], allow_nan=False)
    return found, mine


def told_of(folder: Path) -> str:
    """All that is said of what is wrong with the bundle."""
    found, mine = read(folder)
    titles = [rejection.title for rejection in found.refused.values()]
    return "\n".join([*titles, *(word for row in mine for word in (*row.reasons, *row.notes))])


@pytest.mark.parametrize(("content", "words"), TOLD.values(), ids=TOLD)
def test_hostile_bundle_is_rejected_in_time_and_others_stay(evil, content, words):
    evil.write_bytes(content if isinstance(content, bytes) else content.encode())

    assert words in told_of(evil.parent)


@pytest.mark.slow
@pytest.mark.parametrize(("make", "words"), LARGE.values(), ids=LARGE)
def test_large_hostile_bundle_is_rejected_in_time_and_others_stay(evil, make, words):
    evil.write_text(make())

    told = told_of(evil.parent)

    assert words in told
    assert len(told) < 10_000
    assert evil.stat().st_size <= bundles.LARGEST


@pytest.mark.parametrize(("make", "words"), FILES.values(), ids=FILES)
def test_bundle_that_is_no_regular_file_is_rejected_and_others_stay(evil, make, words):
    make(evil)

    assert words in told_of(evil.parent)
    assert catalogue().refused.keys() == {"Evil"}


def test_bundle_with_undecodable_name_is_rejected_and_others_stay(evil):
    strange = os.fsencode(evil.parent) + b"/\xff\xfe.ini"
    Path(os.fsdecode(strange)).write_text("[print:P]\n")

    assert "file's name" in told_of(evil.parent)


@pytest.mark.slow
@pytest.mark.parametrize("content", IN_TIME.values(), ids=IN_TIME)
def test_expensive_bundle_is_read_within_the_time_limit(evil, content):
    evil.write_text(content)

    found, mine = read(evil.parent)

    assert mine
    assert not found.refused
