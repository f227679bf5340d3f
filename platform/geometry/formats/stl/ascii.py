"""ASCII STL, a few hundred facets at a time and without a Python loop over them."""

import re
from collections.abc import Iterator
from io import FileIO
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from geometry.formats.stl.decimals import AFTER, BEFORE, LOWER_CASE, parse_decimals
from geometry.mesh import InvalidMesh

CHUNK_BYTES = 1 << 17
FACET_END, LOOP_END = b"endfacet", b"endloop"
ADVICE = "Export the model again as STL."

NUMBER = re.compile(rb"[+-]?(?:[0-9]++\.?[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
NOT_A_NUMBER = re.compile(rb"[+-]?(?:nan|inf|infinity|1\.#.*)", re.IGNORECASE)
# No possessive quantifier around a group: before Python 3.11.5 these match wrongly.
COMMENT = re.compile(rb"(?:[#;]|//)[^\r\n]*")
SOLID = re.compile(
    rb"(?<!\S)(?:end[ \t]?)?solid(?!\S)(?:(?!facet\s+(?:normal|outer)\s)[^\r\n])*", re.IGNORECASE
)
NORMAL = re.compile(
    rb"(?<!\S)normal(?!\S)(?:\s+(?!outer(?!\S))\S+){0,9}(?=\s+outer)", re.IGNORECASE
)


class _Grammar(NamedTuple):
    """Where the keywords and the coordinates stand among the words of one facet."""

    words: list[str]
    keywords: NDArray[np.int64]
    lengths: NDArray[np.int64]
    spellings: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    coordinates: NDArray[np.int64]


def _grammar(text: str) -> _Grammar:
    """The grammar of `text`, in which n is a number to ignore and x a coordinate."""
    words = text.split()
    keywords = [i for i, word in enumerate(words) if len(word) > 1]
    spelt = [words[i].encode() for i in keywords]
    return _Grammar(
        words=words,
        keywords=np.array(keywords),
        lengths=np.array([len(word) for word in spelt]),
        spellings=np.array([int.from_bytes(word, "little") for word in spelt], dtype=np.uint64),
        masks=np.array([(1 << 8 * len(word)) - 1 for word in spelt], dtype=np.uint64),
        coordinates=np.array([i for i, word in enumerate(words) if word == "x"]),
    )


BODY = "outer loop vertex x x x vertex x x x vertex x x x endloop endfacet"
ENDS = (LOOP_END, FACET_END)
WITH_NORMAL = _grammar(f"facet normal n n n {BODY}")
WITHOUT_NORMAL = _grammar(f"facet {BODY}")


def read_facets(file: FileIO, start: int) -> Iterator[NDArray[np.float32]]:
    """The facets of an ASCII STL from byte `start` on, as (9, k) arrays.

    Normals are not looked at. Text between facets may be white space, comments and the lines
    of `solid` and `endsolid`. `endloop` and `endfacet` may be missing, but the last facet needs
    one of them. Raises InvalidMesh: bad-facet, bad-number, truncated.
    """
    buffer = bytearray(b" ") * (BEFORE + CHUNK_BYTES + AFTER)
    text = _Text(buffer, offset=start - BEFORE)
    held = BEFORE  # where the bytes that were read end
    file.seek(start)
    while True:
        got = file.readinto(memoryview(buffer)[held : BEFORE + CHUNK_BYTES])
        held += got
        end = _after_last_facet(buffer, held)
        if end > BEFORE:
            yield text.facets(end)
            rest = held - end
            buffer[BEFORE : BEFORE + rest] = buffer[end:held]
            text.offset += end - BEFORE
            held = BEFORE + rest
        elif not got:
            last = text.rest(held)
            if last is not None:
                yield last
            return
        elif held == BEFORE + CHUNK_BYTES:
            text.refuse(
                "bad-facet", BEFORE, f"no 'endfacet' within {CHUNK_BYTES:,} bytes. {ADVICE}"
            )


class _Text:
    """A piece of the file, and what is said about it.

    buffer : the piece lies between BEFORE bytes and AFTER bytes of padding
    offset : what to add to a position in `buffer` to have the byte of the file
    """

    def __init__(self, buffer: bytearray, offset: int):
        self.buffer = buffer
        self.offset = offset
        self.triangles = 0  # that were read before
        self.characters = np.frombuffer(buffer, dtype=np.uint8)
        self.words = np.ndarray((len(buffer) - 7,), "<u8", buffer, strides=(1,))

    def facets(self, end: int) -> NDArray[np.float32]:
        """(9, k) float32: the facets before `end`, of which there is at least one."""
        grammar = WITH_NORMAL
        spans = self._spans(end)
        if not self._follows(spans, grammar):
            grammar = WITHOUT_NORMAL
            self._blank_what_is_ignored(end)
            spans = self._spans(end)
            if not len(spans) or spans[-1, 1] != end:
                self.refuse("bad-facet", end - len(FACET_END), "the word that ends a facet stands "
                            "in a name or a comment. Remove it there.")  # fmt: skip
            if not self._follows(spans, grammar):
                return self._values(spans[self._walk(spans, complete=True)])
        return self._values(spans.reshape(-1, len(grammar.words), 2)[:, grammar.coordinates])

    def rest(self, end: int) -> NDArray[np.float32] | None:
        """(9, k) float32: a last facet without `endfacet`; None where only ignored text is left."""
        self._blank_what_is_ignored(end)
        spans = self._spans(end)
        return self._values(spans[self._walk(spans, complete=False)]) if len(spans) else None

    def refuse(self, code: str, position: int, why: str) -> NoReturn:
        where = f"Triangle {self.triangles + 1:,} (byte {self.offset + position:,})"
        raise InvalidMesh(code, f"{where}: {why}")

    def _spans(self, end: int) -> NDArray[np.int64]:
        """(n, 2): where each word before `end` begins, and one past its end."""
        ink = self.characters[BEFORE - 1 : end + 1] > ord(" ")
        ink[0] = ink[-1] = False
        return (np.flatnonzero(ink[1:] != ink[:-1]) + BEFORE).reshape(-1, 2)

    def _follows(self, spans: NDArray[np.int64], grammar: _Grammar) -> bool:
        if len(spans) % len(grammar.words):
            return False
        keywords = spans.reshape(-1, len(grammar.words), 2)[:, grammar.keywords]
        first, last = keywords[..., 0], keywords[..., 1]
        if not (last - first == grammar.lengths).all():
            return False
        return bool(((self.words[first] | LOWER_CASE) & grammar.masks == grammar.spellings).all())

    def _blank_what_is_ignored(self, end: int) -> None:
        """Comments, names and normals become blanks, so that positions stay what they are."""
        text = bytes(self.buffer[BEFORE:end])
        for ignored in (COMMENT, SOLID, NORMAL):
            text = ignored.sub(lambda match: b" " * len(match[0]), text)
        self.buffer[BEFORE:end] = text

    def _values(self, spans: NDArray[np.int64]) -> NDArray[np.float32]:
        count = spans.size // 18
        values = self._numbers(spans.reshape(-1, 2)).reshape(count, 9)
        self.triangles += count
        with np.errstate(over="ignore"):  # an overflow is found, and said, as not finite
            return np.ascontiguousarray(values.T, dtype=np.float32)

    def _numbers(self, spans: NDArray[np.int64]) -> NDArray[np.float64]:
        values, exact = parse_decimals(self.words, spans[:, 0], spans[:, 1])
        # Few numbers are so long that they need Python's own conversion.
        for i in np.flatnonzero(~exact).tolist():
            first, last = spans[i].tolist()
            word = bytes(self.buffer[first:last])
            if not NUMBER.fullmatch(word):
                self.triangles += i // 9
                self._refuse_number(first, word)
            values[i] = float(word)
        return values

    def _refuse_number(self, position: int, word: bytes) -> NoReturn:
        if NOT_A_NUMBER.fullmatch(word):
            self.refuse("not-finite", position, f"the coordinate {_shown(word)} is not finite. "
                        f"Repair the model. {ADVICE}")  # fmt: skip
        mend = "Write decimals with a point. " if b"," in word else ""
        self.refuse("bad-number", position, f"{_shown(word)} is not a number. {mend}{ADVICE}")

    def _walk(self, spans: NDArray[np.int64], *, complete: bool) -> list[int]:
        """Which of the words are coordinates, word by word: ends may be missing.

        complete : the words end with the end of a facet; otherwise the file ends with them
        """
        expected = [word.encode() for word in WITHOUT_NORMAL.words]
        found = [bytes(self.buffer[first:last]).lower() for first, last in spans.tolist()]
        coordinates = []
        at = facets = 0  # the word that is expected next, and the facets before it
        for i, word in enumerate(found):
            while expected[at] in ENDS and word != expected[at] and word in (FACET_END, b"facet"):
                at = (at + 1) % len(expected)
                facets += not at
            want = expected[at]
            cut = not complete and i == len(found) - 1
            if want == b"x":
                fits = word not in expected
                coordinates.append(i)
            else:
                fits = word == want or (cut and want.startswith(word))
            if not fits:
                self.triangles += facets
                wanted = "a number" if want == b"x" else f"'{want.decode()}'"
                self.refuse("bad-facet", int(spans[i, 0]), f"expected {wanted}, found "
                            f"{_shown(word)}. A facet has exactly three vertices of three "
                            f"numbers each. {ADVICE}")  # fmt: skip
            if word == want or want == b"x":
                at = (at + 1) % len(expected)
                facets += not at
        if expected[at] not in (b"facet", FACET_END) or found[-1] not in ENDS:
            self.triangles += facets
            self.refuse("truncated", int(spans[-1, 1]), "the file ends inside this triangle. It "
                        "was cut off: upload or export it again.")  # fmt: skip
        return coordinates


def _after_last_facet(buffer: bytearray, end: int) -> int:
    """One past the last 'endfacet' before `end`, or else 'endloop'; 0 where there is none."""
    found = buffer.rfind(FACET_END, BEFORE, end)
    if found >= 0:
        return found + len(FACET_END)
    text = bytes(buffer[:end]).lower()
    for word in (FACET_END, LOOP_END):
        found = text.rfind(word, BEFORE)
        if found >= 0:
            return found + len(word)
    return 0


def _shown(word: bytes) -> str:
    text = word[:30].decode("latin-1")
    return repr(text) + ("..." if len(word) > 30 else "")
