"""Config check: slices a small box to test whether the installed engine accepts a config.

Tables contain the settings and words of an engine. Only the engine knows the bounds of numbers,
which settings exclude each other and which macros are valid. A check takes a fraction of a second,
and each result is cached in memory.
"""

import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import numpy as np

from apps.slicing.configs import base
from apps.slicing.configs.base import Entry, RawConfig, RawConfigError
from apps.slicing.configs.slic3r import FOLLOWERS, numbers
from apps.slicing.engines.base import CONFIG_REFUSED, Engine, EngineLimits, SliceFailed
from apps.slicing.engines.crash_diagnosis import write_box
from core.errors import RateLimited

SIDE, LAYERS = 20.0, 20  # mm, and layers behind the first
FIRST_LAYER = ("first_layer_height", "layer_height_0")
# A request waits for it. What needs more is neither refused nor taken for good.
LIMITS = EngineLimits(wall_seconds=10.0, cpu_seconds=5, memory_bytes=1 << 30)
# Failures on a plain box that are the config's fault.
REFUSALS = (CONFIG_REFUSED, "engine-failed", "nothing-to-print")
MAX_FAULTS = 4  # of one config: each takes a run of the engine
SEARCH_SECONDS = 5.0  # for a setting that the engine does not name
MAX_KEPT = 1000
AT_ONCE = 2  # engines of one process: requests of others keep most of its threads
PLACE_SECONDS = 3.0  # that a request waits for one of them; then nothing is tried


class ConfigRejection(NamedTuple):
    """The engine's reason to reject a config: its message, its log, and the settings involved."""

    words: str
    log: str
    settings: tuple[str, ...]


_kept: OrderedDict[str, ConfigRejection | None] = OrderedDict()
_places = threading.BoundedSemaphore(AT_ONCE)
_accounts: set[UUID] = set()  # with a check under way
_accounts_lock = threading.Lock()


@contextmanager
def one_check_of(account: UUID) -> Iterator[None]:
    """Hold the only check that an account may have in this process; requests of others go on.

    Raises TooMany where the account has one under way: another would keep a thread waiting.
    """
    with _accounts_lock:
        if account in _accounts:
            title = "Another config of yours is being checked: try again in a second."
            raise RateLimited(title, limit="config_checks", most=1, used=1, wait=1)
        _accounts.add(account)
    try:
        yield
    finally:
        with _accounts_lock:
            _accounts.discard(account)


def rejection_of(engine: Engine, settings: Mapping[str, str]) -> SliceFailed | None:
    """Return the failure that every slice with these settings would end in; None if none is known.

    A crash, a timeout or an engine that is busy with other configs is no rejection: the slice
    itself reports more.
    """
    rejection = _rejection(engine, settings)
    if rejection is None:
        return None
    title = f"{engine.name} refuses the config: {rejection.words} Change the config."
    return SliceFailed(CONFIG_REFUSED, title, rejection.log, settings=rejection.settings)


def faults_of(engine: Engine, raw: RawConfig) -> list[RawConfigError]:
    """Return the settings of a raw config that the engine refuses, each at its line."""
    settings, own = dict(raw.settings), engine.settings({})
    until = time.monotonic() + SEARCH_SECONDS
    left = list(raw.lines)
    faults: list[RawConfigError] = []
    while len(faults) < MAX_FAULTS and (rejection := _rejection(engine, settings)):
        named = (key for key in rejection.settings if key in left)
        key = next(named, None) or _culprit(engine, settings, own, left, until=until)
        if key is None:
            if not faults:  # else it is likely one of those
                title = f"{engine.name} refuses the config: {rejection.words}"
                faults.append(RawConfigError(None, None, "invalid-config", title))
            break
        entry = Entry(raw.lines[key], key, raw.settings[key])
        value = "it" if key.endswith("_gcode") else repr(entry.value[:100])
        faults.append(base.invalid(entry, f"{engine.name} refuses {value}: {rejection.words}"))
        left.remove(key)
        # What is refused beside another setting is not asked again, nor what takes too long.
        if not _revert(settings, [key], own) or time.monotonic() > until:
            break
    return faults


def _culprit(
    engine: Engine,
    settings: Mapping[str, str],
    own: Mapping[str, str],
    keys: Sequence[str],
    *,
    until: float,
) -> str | None:
    """The first of these settings with which the config is refused, where the engine names none.

    A bisection: beside those before it, it is refused; without it, they are not.
    """
    accepted, refused = 0, len(keys)  # of the first so many settings
    while refused - accepted > 1:
        if time.monotonic() > until:
            return None
        middle = (accepted + refused) // 2
        fewer = dict(settings)
        _revert(fewer, keys[middle:], own)
        if _rejection(engine, fewer):
            refused = middle
        else:
            accepted = middle
    return keys[refused - 1] if keys else None


def _revert(settings: dict[str, str], keys: Sequence[str], own: Mapping[str, str]) -> bool:
    """Have settings as they are without a config; whether that is a change."""
    followers = [follower for follower, leader in FOLLOWERS.items() if leader in keys]
    before = {key: settings.pop(key, None) for key in [*keys, *followers]}
    settings |= {key: own[key] for key in before if key in own}
    return any(settings.get(key) != value for key, value in before.items())


def _rejection(engine: Engine, settings: Mapping[str, str]) -> ConfigRejection | None:
    content = f"{engine.identifier} {engine.version()}\n{engine.config_text(settings)}"
    key = sha256(content.encode()).hexdigest()
    if key in _kept:
        return _kept[key]
    if not _places.acquire(timeout=PLACE_SECONDS):
        return None
    try:
        _kept[key] = _try(engine, settings)
    finally:
        _places.release()
    while len(_kept) > MAX_KEPT:
        _kept.popitem(last=False)
    return _kept.get(key)


def _try(engine: Engine, settings: Mapping[str, str]) -> ConfigRejection | None:
    with tempfile.TemporaryDirectory() as place:
        stl, folder = Path(place) / "box.stl", Path(place) / "work"
        folder.mkdir()
        write_box(stl, _sides(engine, settings))
        try:
            engine.slice(stl, settings, folder, limits=LIMITS)
        except SliceFailed as failure:
            if failure.code not in REFUSALS:
                return None
            if failure.code == "nothing-to-print":
                words = "nothing of a plain box would be printed with it."
                return ConfigRejection(words, failure.log, ())
            return ConfigRejection(failure.words, failure.log, failure.settings)
    return None


def _sides(engine: Engine, settings: Mapping[str, str]) -> tuple[float, float, float]:
    """A box of few layers, in mm, that fits onto every bed."""
    bed = engine.bed(settings)
    layer = (numbers(settings["layer_height"]) or [0.2])[0]
    firsts = [(numbers(settings.get(key, "")) or [0.0])[0] for key in FIRST_LAYER]
    side = min(SIDE, bed.width / 2, bed.depth / 2)
    height = np.clip(max(firsts) + LAYERS * layer, 0.2, min(SIDE, bed.height))
    return side, side, float(height)
