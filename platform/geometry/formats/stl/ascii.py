"""ASCII STL reader, chunked; compiled fast path."""

import re
from collections.abc import Iterator
from io import FileIO
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.ascii_kernels import read_plain
from geometry.formats.stl.detection import SHORTEST_FACET
from geometry.mesh import InvalidMesh

CHUNK_BYTES = 1 << 17
MAX_FACETS = CHUNK_BYTES // SHORTEST_FACET + 2  # the last of which may be half a facet
FACET_END, LOOP_END = b"endfacet", b"endloop"
ADVICE = "Export the model again as STL."

NUMBER = re.compile(rb"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
NOT_A_NUMBER = re.compile(rb"[+-]?(?:nan|inf|infinity|1\.#.*)", re.IGNORECASE)
# No possessive quantifier around a group: before Python 3.11.5 these match wrongly.
COMMENT = re.compile(rb"(?:[#;]|//)[^\r\n]*")
# A facet that begins on the line of a name, as in a file of one line.
FACET_FOLLOWS = rb"(?<!\S)facet[ \t]+(?:[^\r\n]{0,200}?[ \t])?outer[ \t]+loop\s+vertex\s+[-+.0-9]"
SOLID = re.compile(
    rb"(?<!\S)(?:end[ \t]?)?solid(?!\S)(?:(?!" + FACET_FOLLOWS + rb")[^\r\n])*", re.IGNORECASE
)
FACET_TEXT = re.compile(
    rb"(?<=facet)(?<!\Sfacet)[ \t](?:(?!(?<!\S)outer\s+loop\s)[^\r\n])*", re.IGNORECASE
)
NORMAL = re.compile(
    rb"(?<!\S)normal(?!\S)(?:\s+(?!outer(?!\S))\S+){0,9}(?=\s+outer)", re.IGNORECASE
)

WORD = re.compile(rb"[^\x00-\x20]+")
WORDS = b"facet outer loop vertex x x x vertex x x x vertex x x x endloop endfacet".split()
ENDS = (LOOP_END, FACET_END)

Span = tuple[int, int]  # where a word begins, and one past its end


def read_facets(file: FileIO, start: int) -> Iterator[NDArray[np.float32]]:
    """The facets of an ASCII STL from byte `start` on, as (9, k) arrays.

    Normals are not looked at. Text between facets may be white space, comments and the lines
    of `solid` and `endsolid`. `endloop` and `endfacet` may be missing, but the last facet needs
    one of them. Raises InvalidMesh: bad-facet, bad-number, truncated.
    """
    buffer = bytearray(CHUNK_BYTES)
    text = _Text(buffer, offset=start)
    held = 0  # where the bytes that were read end
    file.seek(start)
    while True:
        got = file.readinto(memoryview(buffer)[held:])
        held += got
        end = _after_last_facet(buffer, held)
        if end:
            yield text.facets(end)
            rest = held - end
            buffer[:rest] = buffer[end:held]
            text.offset += end
            held = rest
        elif not got:
            last = text.rest(held)
            if last is not None:
                yield last
            return
        elif held == CHUNK_BYTES:
            text.refuse("bad-facet", 0, f"no 'endfacet' within {CHUNK_BYTES:,} bytes. {ADVICE}")


class _Text:
    """A piece of the file, and what is said about it.

    offset : what to add to a position in `buffer` to have the byte of the file
    """

    def __init__(self, buffer: bytearray, offset: int):
        self.buffer = buffer
        self.offset = offset
        self.triangles = 0  # that were read before
        self.characters = np.frombuffer(buffer, dtype=np.uint8)
        self.columns = np.empty((9, MAX_FACETS), dtype=np.float32)
        self.unsure = np.empty((9 * MAX_FACETS, 3), dtype=np.int64)

    def facets(self, end: int) -> NDArray[np.float32]:
        """(9, k) float32: the facets before `end`, of which there is at least one."""
        count, unsure = read_plain(self.characters, 0, end, self.columns, self.unsure)
        if count < 0:
            self._blank_what_is_ignored(end)
            count, unsure = read_plain(self.characters, 0, end, self.columns, self.unsure)
        if count < 0:
            return self._values(self._walk(self._spans(end), complete=True))
        with np.errstate(over="ignore"):  # an overflow is found, and said, as not finite
            # Few numbers are so long that they need Python's own conversion.
            for number, first, last in self.unsure[:unsure].tolist():
                facet, row = divmod(number, 9)
                self.columns[row, facet] = self._number((first, last), facet)
        self.triangles += count
        return np.ascontiguousarray(self.columns[:, :count])

    def rest(self, end: int) -> NDArray[np.float32] | None:
        """(9, k) float32: a last facet without `endfacet`; None where only ignored text is left."""
        self._blank_what_is_ignored(end)
        spans = self._spans(end)
        return self._values(self._walk(spans, complete=False)) if spans else None

    def refuse(self, code: str, position: int, why: str) -> NoReturn:
        where = f"Triangle {self.triangles + 1:,} (byte {self.offset + position:,})"
        raise InvalidMesh(code, f"{where}: {why}")

    def _spans(self, end: int) -> list[Span]:
        """Where each word before `end` begins, and one past its end."""
        return [match.span() for match in WORD.finditer(self.buffer, 0, end)]

    def _blank_what_is_ignored(self, end: int) -> None:
        """Comments, names, normals and other words of a facet's line become blanks.

        Positions stay what they are.
        """
        text = bytes(self.buffer[:end])
        for ignored in (COMMENT, SOLID, FACET_TEXT, NORMAL):
            text = ignored.sub(lambda match: b" " * len(match[0]), text)
        self.buffer[:end] = text

    def _values(self, spans: list[Span]) -> NDArray[np.float32]:
        values = [self._number(span, i // 9) for i, span in enumerate(spans)]
        self.triangles += len(values) // 9
        with np.errstate(over="ignore"):  # as above
            return np.array(values, dtype=np.float32).reshape(-1, 9).T.copy()

    def _number(self, span: Span, facet: int) -> float:
        """What a word says, one of the corners of the piece's facet of this number."""
        word = bytes(self.buffer[slice(*span)])
        if not NUMBER.fullmatch(word):
            self.triangles += facet
            self._refuse_number(span[0], word)
        return float(word)

    def _refuse_number(self, position: int, word: bytes) -> NoReturn:
        if NOT_A_NUMBER.fullmatch(word):
            self.refuse("not-finite", position, f"the coordinate {_shown(word)} is not finite. "
                        f"Repair the model. {ADVICE}")  # fmt: skip
        mend = "Write decimals with a point. " if b"," in word else ""
        self.refuse("bad-number", position, f"{_shown(word)} is not a number. {mend}{ADVICE}")

    def _walk(self, spans: list[Span], *, complete: bool) -> list[Span]:
        """Those of the words that are coordinates, word by word: ends may be missing.

        complete : the words end with the end of a facet; otherwise the file ends with them
        """
        found = [bytes(self.buffer[first:last]).lower() for first, last in spans]
        coordinates = []
        at = facets = 0  # the word that is expected next, and the facets before it
        for i, word in enumerate(found):
            while WORDS[at] in ENDS and word != WORDS[at] and word in (FACET_END, b"facet"):
                at = (at + 1) % len(WORDS)
                facets += not at
            want = WORDS[at]
            cut = not complete and i == len(found) - 1
            if want == b"x":
                fits = word not in WORDS
                coordinates.append(spans[i])
            else:
                fits = word == want or (cut and want.startswith(word))
            if not fits:
                self.triangles += facets
                wanted = "a number" if want == b"x" else f"'{want.decode()}'"
                self.refuse("bad-facet", spans[i][0], f"expected {wanted}, found "
                            f"{_shown(word)}. A facet has exactly three vertices of three "
                            f"numbers each. {ADVICE}")  # fmt: skip
            if word == want or want == b"x":
                at = (at + 1) % len(WORDS)
                facets += not at
        if WORDS[at] not in (b"facet", FACET_END) or found[-1] not in ENDS:
            self.triangles += facets
            self.refuse("truncated", spans[-1][1], "the file ends inside this triangle. It "
                        "was cut off: upload or export it again.")  # fmt: skip
        return coordinates


def _after_last_facet(buffer: bytearray, end: int) -> int:
    """One past the last 'endfacet' before `end`, or else 'endloop'; 0 where there is none."""
    after = _after_last(FACET_END, buffer, end)
    if after:
        return after
    text = bytes(buffer[:end]).lower()
    return _after_last(FACET_END, text, end) or _after_last(LOOP_END, text, end)


def _after_last(word: bytes, text: bytes | bytearray, end: int) -> int:
    """One past the last `word` that is not ignored; 0 where there is none."""
    while (at := text.rfind(word, 0, end)) >= 0:
        line = max(text.rfind(b"\n", 0, at), text.rfind(b"\r", 0, at)) + 1
        if not _is_ignored(bytes(text[line : at + len(word)])):
            return at + len(word)
        end = line
    return 0


def _is_ignored(line: bytes) -> bool:
    """Whether the end of this part of a line becomes a blank."""
    kinds = (COMMENT, SOLID, FACET_TEXT)
    return any(match.end() == len(line) for kind in kinds for match in kind.finditer(line))


def _shown(word: bytes) -> str:
    text = word[:30].decode("latin-1")
    return repr(text) + ("..." if len(word) > 30 else "")
