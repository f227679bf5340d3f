"""What was asked and answered, as examples that stand in the documents.

What differs from run to run is replaced: keys are numbered as they appear, times are one moment,
signatures and secrets are dots.
"""

import json
import re
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from typing import Any, NamedTuple

from django.conf import settings

APPS = {"models": "warehouse"}  # the app of a host that is not named as it is
FOLDER = settings.BASE_DIR / "apps"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)")
_DAY = re.compile(r"20\d\d-\d\d-\d\d(?!T)")
_MONTH = re.compile(r"20\d\d-\d\d")
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_SECRET = re.compile(r"secret|token|password|_code(s)?$|^code$|^uri_otp|^otpauth")
# What else is drawn by lot: ports, sinks, the names of prints.
_LOTS = (
    (re.compile(r"127\.0\.0\.1:\d+"), "127.0.0.1:9000"),
    (re.compile(r"\b([A-Z]{2})-20\d\d-(?=\d{4})"), r"\1-2030-"),  # numbers of documents
    (re.compile(r"/sink/[\w-]{20,}/"), "/sink/…/"),
    (re.compile(r"/o/[\w-]{22}/"), "/o/…/"),
    (re.compile(r"//[\w.]+/camera/[^.]+\.jpg"), "//platform.localhost:8000/camera/….jpg"),
    (re.compile(r"/invitation/[\w-]{32}/"), "/invitation/…/"),
    (re.compile(r"-[0-9a-f]{12}\.gcode"), "-9f3a61c2b0de.gcode"),
    (re.compile(r"(https?://files\.[^?]+)\?.*"), r"\1?signature=…"),
)
# Lists that say what is there, in whatever order.
_UNORDERED = {"nodes", "links"}
_MAX_ITEMS, _MAX_LETTERS = 16, 300
# Figures that a clock tells.
_MEASURED = {"slice_time", "seconds", "printing_seconds", "milliseconds"}
_HOURS = {"used"}  # of a printer: decimals, unlike what is used of a quota


class Asked(NamedTuple):
    """A request and its answer; bodies are None where there is none."""

    host: str
    method: str
    path: str
    sent: Any
    status: int
    told: Any


def examples_of(host: str, asked: Iterator[tuple[str, Asked]]) -> dict[str, Any]:
    """Of each operation of a host its fullest good answer: "POST /model/" -> status, body, answer.

    asked : each request with the template of its path
    """
    best: dict[str, dict[str, Any]] = {}
    for template, one in asked:
        name = f"{one.method.upper()} {template}"
        if one.host == host and one.status < 300:
            example = _example(one)
            if name not in best or _rank(example) > _rank(best[name]):
                best[name] = example
    return dict(sorted(best.items(), key=lambda each: each[0].split()[::-1]))


class _Nameless(dict[str, int]):
    """Numbers of keys, of which all have the same."""

    def setdefault(self, key: str, default: int) -> int:  # type: ignore[override]
        return 0


def _rank(example: dict[str, Any]) -> tuple[int, str]:
    """The fullest first; of equally full ones always the same."""
    told = _leaves(example.get("answer"))
    return sum(1 for value in told if value not in (None, [], {})), json.dumps(example)


def _leaves(value: Any) -> Iterator[Any]:
    inner = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list) and value:
        for one in inner:
            yield from _leaves(one)
    else:
        yield value


def _example(one: Asked) -> dict[str, Any]:
    numbers: dict[str, int] = {}
    told = {"status": one.status}
    if one.sent is not None:
        told["body"] = _plain(one.sent, numbers)
    if one.told is not None:
        told["answer"] = _plain(_short(one.told), numbers)
    return told


def _short(told: Any) -> Any:
    """A list with one resource alone; what has no order of its own in the order of its words."""
    if isinstance(told, dict) and told.get("resources"):
        return told | {"resources": [max(told["resources"], key=_words)]}
    if isinstance(told, dict):
        lists = [name for name in _UNORDERED & told.keys() if isinstance(told[name], list)]
        return told | {name: sorted(told[name], key=_words) for name in lists}
    return told


def _words(one: Any) -> tuple[int, str]:
    """How full it is, and what it says beside its keys and times."""
    return _rank({"answer": _plain(one, _Nameless())})


def _plain(value: Any, numbers: dict[str, int], name: str = "") -> Any:
    if isinstance(value, Mapping):
        error = "title" in value  # whose code is no secret
        return {
            key: _plain(inner, numbers, "" if error and key == "code" else key)
            for key, inner in value.items()
        }
    if isinstance(value, list):
        most = len(value) if len(value) <= _MAX_ITEMS else 3
        return [_plain(inner, numbers, name) for inner in value[:most]]
    if name in _MEASURED and isinstance(value, int | float):
        return 1
    if name == "year" and isinstance(value, int):
        return 2030
    if isinstance(value, float):
        return 1.0 if name in _HOURS else float(f"{value:.4g}")
    if not isinstance(value, str):
        return value
    if value and _SECRET.search(name) and not value.startswith("http"):
        return "…"
    if value == "image/webp":  # a timelapse of a machine without ffmpeg
        return "video/mp4"
    if _MONTH.fullmatch(value):
        return "2030-01"
    value = _UUID.sub(lambda found: _key(found[0], numbers), value)
    value = _DAY.sub("2030-01-31", _TIME.sub("2030-01-31T12:00:00+00:00", value))
    value = _HASH.sub("9f86d081…", value)
    value = value.replace(f".{settings.PARENT_HOST}", ".platform.localhost:8000")
    for form, instead in _LOTS:
        value = form.sub(instead, value)
    return value if len(value) <= _MAX_LETTERS else f"{value[:_MAX_LETTERS]}…"


def _key(found: str, numbers: dict[str, int]) -> str:
    number = numbers.setdefault(found, len(numbers) + 1)
    return f"01a1fe8c-0000-7000-8000-{number:012d}"


def kept(host: str) -> dict[str, Any]:
    """The examples that stand in a host's document."""
    return json.loads((FOLDER / APPS.get(host, host) / "examples.json").read_text())


def keep(host: str, examples: dict[str, Any]) -> None:
    """Write them where the document finds them."""
    path = FOLDER / APPS.get(host, host) / "examples.json"
    path.write_text(json.dumps(examples, indent=1, ensure_ascii=False) + "\n")


def difference(before: Any, now: Any) -> list[str]:
    """The lines of JSON that were removed and added."""
    texts = [json.dumps(each, indent=1, sort_keys=True).splitlines() for each in (before, now)]
    return [line for line in unified_diff(*texts, n=0, lineterm="") if line[:2] not in ("--", "@@")]
