"""Chunked G-code reader: motion words and modal state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from gcode.errors import InvalidGcode
from gcode.filament import MAX_TOOLS, Filament
from gcode.stated_commands import Change, read_command, read_klipper
from gcode.texts import Texts
from gcode.word_letters import MAX_DIGITS, READ

UNREADABLE_SHARE = 0.005  # of the lines of code; more than this is not gcode
UNREADABLE_LINES = 10_000  # at which reading on is pointless
RETRACTION = 3.0 / 45.0  # seconds, Marlin's own 3 mm at 45 mm/s
LARGEST = 1e9  # of any number that is not a coordinate

UPPER = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz\r\t\f", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ   ")
LARGEST_NUMBER = 1e15  # of any number at all

COMMAND = re.compile(rb"([GMT])0*(\d{1,4})(?:\.(\d+))?(?![\d.])\s*(.*)", re.DOTALL)
MACRO = re.compile(rb"[A-Z_][A-Z0-9_.]*(\s.*)?|[@%].*", re.DOTALL)
WORD = re.compile(rb"([A-Z])\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+))\s*")
WORDS = re.compile(rb"(?:%s)*" % WORD.pattern)
AXES_TO_ZERO = re.compile(rb"[XYZ]")
COMMENT = re.compile(rb";[^\n]*|\([^()\n]*\)")
LINE_NUMBER = re.compile(rb"\AN\d+\s*")
OBJECT = re.compile(rb"; (STOP )?PRINTING OBJECT (.+) ID:\d+ COPY \d+\Z")
HEIGHT = re.compile(rb";HEIGHT:(\d{1,2}(?:\.\d{1,6})?)(?![\d.])")
TOOL = re.compile(rb"ACTIVATE_EXTRUDER\s+EXTRUDER\s*=\s*EXTRUDER(\d{0,4})")
STATED = (201, 203, 204, 205, 220, 566)  # the M commands that state limits
HEATER = re.compile(rb"SET_HEATER_TEMPERATURE\s+HEATER=(\w+)\s+TARGET=(\d{1,6}(?:\.\d{1,6})?)")
CHECKSUM = re.compile(rb"\*\s*\d+\s*$")


@dataclass
class Block:
    """Consecutive lines of a file, of which each motion (G0-G3, G28, G92) is a row.

    rows    : how many motions there are
    columns : (letters, rows) float64, the motions' numbers, NaN where there is none
    offsets : (rows,) int64, the byte of the file at which each row's line begins
    changes : by setting, the rows from which on a new value holds, and the values
    """

    rows: int
    columns: NDArray[np.float64]
    offsets: NDArray[np.int64]
    changes: dict[str, tuple[list[int], list]]

    def column(self, letter: str) -> NDArray[np.float64]:
        """(rows,) float64: the number of this word in every row, NaN where there is none."""
        return self.columns[READ.index(letter)]


@dataclass
class Reader:
    """Reads one file; afterwards, the facts that need no geometry.

    end : the byte behind the last line
    """

    dwell_seconds: float = 0.0
    highest_nozzle_temperature: float | None = None
    highest_bed_temperature: float | None = None
    filament: Filament = field(default_factory=Filament)
    end: int = 0
    moves: bool = False
    commands: int = 0
    macros: int = 0
    unreadable: int = 0
    line_number: int = 0
    first_unreadable: tuple[int, str] = (0, "")
    _retraction: float = RETRACTION  # seconds that G10 takes, and G11
    _tool: int = 0
    _filament_per_e: float = 1.0
    _changes: dict[str, tuple[list[int], list]] = field(default_factory=dict)

    def blocks(self, path: Path) -> Iterator[Block]:
        """All blocks of a file. Raises InvalidGcode, in the end if not before."""
        self.filament.look_through(path, UPPER)
        texts = Texts()
        with path.open("rb") as file:
            for offset, text in texts.pieces(file):
                yield self.block(text.translate(UPPER), offset)
                if self.unreadable > UNREADABLE_LINES:
                    break
        self.end = texts.end
        self._judge()

    def _judge(self) -> None:
        """Refuse a file whose lines, taken together, are not gcode."""
        lines = self.commands + self.macros + self.unreadable
        if not lines:
            raise InvalidGcode("no-commands", "The file holds no commands, only comments.")
        if self.unreadable > UNREADABLE_SHARE * lines:
            number, line = self.first_unreadable
            raise InvalidGcode("syntax-error", f"Line {number} is not gcode: {line}")
        if 2 * self.commands < lines:
            title = "Less than half of the lines are G, M or T commands. Upload a gcode file."
            raise InvalidGcode("not-gcode", title)
        if not self.moves:
            title = "Nothing moves: the file has no G0, G1, G2 or G3 with an axis."
            raise InvalidGcode("no-moves", title)

    def block(self, text: bytes, offset: int = 0) -> Block:
        """Lines in upper case, whole ones; motions are read all at once, others one by one.

        offset : the byte of the file at which the text begins
        """
        self._changes = {}
        self._rescale(0)
        data = np.frombuffer(text + b"\n\n", np.uint8)
        ends = np.flatnonzero(data[:-2] == ord("\n"))  # (lines,)
        starts = np.concatenate([[0], ends[:-1] + 1])
        motion = (data[starts] == ord("G")) & (data[starts + 2] == ord(" "))
        motion &= (data[starts + 1] >= ord("0")) & (data[starts + 1] <= ord("3"))

        others = np.flatnonzero(~motion)
        pieces: list[bytes] = []
        begin = rows = past = 0  # past: index of the line after the last one dealt with
        lines = zip(others.tolist(), starts[others].tolist(), ends[others].tolist(), strict=True)
        for index, start, end in lines:
            pieces.append(text[begin:start])
            rows += index - past
            row = self._line(text[start:end].strip(), self.line_number + index + 1, rows)
            if row:
                pieces.append(row)
                motion[index] = True
                rows += 1
            begin, past = end + 1, index + 1
        pieces.append(text[begin:])
        self.commands += len(ends) - len(others)
        numbers = self.line_number + 1 + np.flatnonzero(motion)  # (rows,)
        self.line_number += len(ends)
        return self._motions(b"".join(pieces), numbers, offset + starts[motion])

    def _motions(
        self, text: bytes, numbers: NDArray[np.int64], offsets: NDArray[np.int64]
    ) -> Block:
        """The motions in a text of nothing else, whose lines have these numbers in the file."""
        if b";" in text or b"(" in text:
            text = COMMENT.sub(b"", text)
        try:
            columns = _columns(text, len(numbers))
        except ValueError:
            columns = _columns(self._readable(text, numbers), len(numbers))
        block = Block(len(numbers), columns, offsets, self._changes)
        if not self.moves:
            moved = ~np.isnan([block.column(axis) for axis in "XYZE"]).all(axis=0)
            self.moves = bool((block.column("G")[moved] <= 3).any())
        return block

    def _readable(self, text: bytes, numbers: NDArray[np.int64]) -> bytes:
        """The same rows, those that cannot be read left without words."""
        lines = []
        for line, number in zip(text.split(b"\n"), numbers.tolist(), strict=False):
            match = COMMAND.match(line)
            if match and WORDS.fullmatch(match[4]):
                lines.append(_row(match[2], match[4]))
            else:
                self.commands -= 1
                self._unreadable(line, number)
                lines.append(b"G1 \n")
        return b"".join(lines)

    def _line(self, line: bytes, number: int, rows: int) -> bytes | None:
        """Take in one line; if it is a motion after all, give its row in plain spelling."""
        if line.startswith(b";"):
            if line.startswith(b";TYPE:") or line.startswith(b"; FEATURE:"):
                self._change("feature", rows, line.partition(b":")[2].strip())
            elif match := OBJECT.match(line):
                self._change("object", rows, b"" if match[1] else match[2])
            elif match := HEIGHT.match(line):
                self._change("height", rows, float(match[1]))
            else:
                self.filament.read_comment(line)
            return None
        line = COMMENT.sub(b"", line).strip()
        if line.startswith(b"N"):
            line = LINE_NUMBER.sub(b"", CHECKSUM.sub(b"", line))
        if not line:
            return None
        match = COMMAND.fullmatch(line)
        if match is None:
            if MACRO.fullmatch(line):
                self.macros += 1
                self._macro(line, rows)
            else:
                self._unreadable(line, number)
            return None
        self.commands += 1
        letter, code, minor, rest = match.groups()
        if minor and int(minor):
            if (letter, code) in ((b"G", b"90"), (b"G", b"91")):  # G90.1 is none of G90
                self._change("absolute_centres", rows, code == b"90")
                return None
            if letter == b"M":  # M201.1 is none of M201
                return None
        if letter == b"G":
            return self._g(int(code), code, rest, rows, number)
        if letter == b"M":
            self._m(int(code), rest, rows)
        else:
            self._choose(int(code), rows)
        return None

    def _macro(self, line: bytes, rows: int) -> None:
        if heated := HEATER.match(line):
            self._heat({b"S": float(heated[2])}, bed=heated[1] == b"HEATER_BED")
        elif line.startswith((b"SET_VELOCITY_LIMIT", b"RESET_VELOCITY_LIMIT")):
            self._state(read_klipper(line), rows)
        elif chosen := TOOL.fullmatch(line):
            self._choose(int(chosen[1] or 0), rows)

    def _choose(self, tool: int, rows: int) -> None:
        if tool < MAX_TOOLS:  # beyond are words of Bambu Lab's, such as T1000
            self._tool = tool
            self._change("tool", rows, tool)
            self._rescale(rows)

    def _g(self, code: int, text: bytes, rest: bytes, rows: int, number: int) -> bytes | None:
        if code in (0, 1, 2, 3, 92):
            if WORDS.fullmatch(rest):
                return _row(text, rest)
            self.commands -= 1
            self._unreadable(b"G" + text + b" " + rest, number)
        elif code == 28:  # homing puts an axis to zero, whatever the number after its letter
            axes = AXES_TO_ZERO.findall(rest) or [b"X", b"Y", b"Z"]
            return _row(b"92", b" ".join(axis + b"0" for axis in axes))
        elif code == 4:
            words = _arguments(rest)
            self.dwell_seconds += words.get(b"S", 0.0) + words.get(b"P", 0.0) / 1000
        elif code in (10, 11):
            words = _arguments(rest)
            if b"P" in words:  # a tool of RepRapFirmware's, and its temperatures
                self._heat(words, bed=False)
            else:
                self.dwell_seconds += self._retraction
        elif code in (20, 21):
            self._change("millimetres", rows, 25.4 if code == 20 else 1.0)
        elif code in (90, 91):
            self._change("relative", rows, code == 91)
        elif code in (17, 18, 19):
            self._change("plane", rows, code)
        return None

    def _m(self, code: int, rest: bytes, rows: int) -> None:
        if code in (82, 83):
            self._change("relative_extrusion", rows, code == 83)
        elif code in (104, 109, 140, 190):
            self._heat(_arguments(rest), bed=code >= 140)
        elif code == 568:
            self._heat(_arguments(rest), bed=False)
        elif code == 207:
            words = _arguments(rest)
            length, speed = words.get(b"S", 0.0), words.get(b"F", 0.0)
            if length > 0 and speed > 0:
                self._retraction = length / speed * 60.0
        elif code == 200:
            self.filament.set_volumetric(_arguments(rest), self._tool)
            self._rescale(rows)
        elif code in STATED:
            per_minute = self.filament.feeds_per_minute
            self._state(read_command(code, _arguments(rest), feeds_per_minute=per_minute), rows)

    def _rescale(self, rows: int) -> None:
        """Note how much filament an E is, where that is not what it was before."""
        value = self.filament.length_of_unit(self._tool)
        if value != self._filament_per_e:
            self._filament_per_e = value
            self._change("filament_per_e", rows, value)

    def _state(self, changes: Iterator[Change], rows: int) -> None:
        for name, value in changes:
            self._change(name, rows, value)

    def _heat(self, words: dict[bytes, float], *, bed: bool) -> None:
        name = "highest_bed_temperature" if bed else "highest_nozzle_temperature"
        asked = [words[letter] for letter in (b"S", b"R") if letter in words]
        if asked:
            setattr(self, name, max(getattr(self, name) or 0.0, *asked))

    def _change(self, name: str, row: int, value: object) -> None:
        rows, values = self._changes.setdefault(name, ([], []))
        rows.append(row)
        values.append(value)

    def _unreadable(self, line: bytes, number: int) -> None:
        if not self.unreadable:
            self.first_unreadable = (number, line[:80].decode(errors="replace"))
        self.unreadable += 1


def _arguments(rest: bytes) -> dict[bytes, float]:
    return {letter: min(float(number), LARGEST) for letter, number in WORD.findall(rest)}


def _row(code: bytes, rest: bytes) -> bytes:
    return b"G" + code + b" " + rest + b"\n"


def _columns(text: bytes, rows: int) -> NDArray[np.float64]:
    """(letters, rows): the numbers of lines like `G1 X1 Y2`, in the order of the letters READ.

    Raises ValueError where letters and numbers do not alternate.
    """
    from gcode.word_kernels import (  # not above: web processes that read none load no numba
        COLUMN,
        read_words,
    )

    columns = np.full((len(READ), rows), np.nan)
    long = np.empty((len(text) // MAX_DIGITS + 1, 4), np.int64)
    read, count = read_words(np.frombuffer(text, np.uint8), columns, long, COLUMN)
    if read != rows:
        raise ValueError("as many letters as numbers were expected")
    for column, row, first, last in long[:count].tolist():
        number = float(text[first:last])
        columns[column, row] = min(max(number, -LARGEST_NUMBER), LARGEST_NUMBER)
    return columns
