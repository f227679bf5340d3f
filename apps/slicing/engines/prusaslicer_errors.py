"""PrusaSlicer errors: tells a fault of the model from a fault of a named setting."""

import re
from collections.abc import Container

from apps.slicing.engines import bed_placement
from apps.slicing.engines.base import CONFIG_REFUSED, SliceFailed

PROGRESS = re.compile(r"(\d{1,3}) => (.+)")
# What the engine says of its own, whatever the outcome.
NOISE = re.compile(r"\[\d{4}-\d\d-\d\d |Initializing StaticPrintConfigs")
OUT_OF_RANGE = re.compile(r"Value out of range: (\w+)")
UNKNOWN = re.compile(r"Invalid value provided for parameter (\w+): (.*)")
INVALID = re.compile(r"Invalid value for --([\w-]+)")
MACROS = "due to invalid custom G-code sections"
MACRO_ERROR = re.compile(r"^(Parsing error .*|Incorrect .*|Processing .*)$", re.MULTILINE)
KEY = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+|--[a-z][a-z-]+")
# Words of sentences -> the settings that they are about.
SENTENCES = (
    ("First layer height", "first_layer_height"),
    ("ayer height", "layer_height"),
    ("nozzle diameter", "nozzle_diameter"),
    ("printing extruders", "nozzle_diameter"),
    ("fill pattern", "fill_pattern"),
    ("100% density", "fill_density"),
    ("extruder addressing", "use_relative_e_distances"),
    ("piral vase", "spiral_vase"),
    ("piral Vase", "spiral_vase"),
    ("ipe Tower", "wipe_tower"),
    ("ipe tower", "wipe_tower"),
    ("oze prevention", "ooze_prevention"),
)
# The engine could not even read the config.
UNREADABLE = ("Error while reading config file", "composite configation is not valid")
MAX_MESSAGE_LENGTH = 300  # characters of the engine's own words


def failure(log: str, known: Container[str]) -> SliceFailed:
    """Return what a positive exit status means, by what the engine printed last.

    known : the settings of the engine
    """
    said = _said(log)
    of_config = MACROS in said or any(words in said for words in UNREADABLE)
    if not of_config:
        if "no extrusions" in log or "no layers" in log or "empty" in log:
            return bed_placement.nothing_to_print(log)
        if "fit on the bed" in log or "outside of the print volume" in log:
            title = "The model does not fit on the bed. Scale, turn or divide the model."
            return SliceFailed("model-too-large", title, log)
        if "objects are too close" in log:
            title = "Objects are too close for being printed one after the other. Pack them anew."
            return SliceFailed("too-close-for-sequential", title, log)
        if "Loading of a model file failed" in log:
            title = "PrusaSlicer cannot read the model: its surface is broken. Repair the model."
            return SliceFailed("model-invalid", title, log)
    words, settings = _last_words(said), tuple(_settings(said, known))
    if of_config or settings:
        title = f"PrusaSlicer refuses the config: {words} Change the config."
        return SliceFailed(CONFIG_REFUSED, title, log, words=words, settings=settings)
    title = f"PrusaSlicer could not slice the model: {words}"
    return SliceFailed("engine-failed", title, log, words=words)


def _settings(said: str, known: Container[str]) -> list[str]:
    """The settings that an error is about, the likeliest first."""
    if match := OUT_OF_RANGE.search(said) or UNKNOWN.search(said):
        return [match[1]]
    if match := INVALID.search(said):
        return [match[1].replace("-", "_")]
    if MACROS in said:
        names = [line.strip() for line in said.splitlines()]
        return [name for name in names if name in known]
    found = [key.lstrip("-").replace("-", "_") for key in KEY.findall(said)]
    found += [key for words, key in SENTENCES if words in said]
    return [key for key in dict.fromkeys(found) if key in known]


def _last_words(said: str) -> str:
    """The sentence that says why the engine ended."""
    if MACROS in said:
        match = MACRO_ERROR.search(said)
        words = match[1] if match else "a macro in it cannot be worked out"
    elif match := UNKNOWN.search(said):
        words = match[0]
    else:
        words = said.strip().splitlines()[-1].strip() if said.strip() else "it gave no reason"
    words = words.rpartition("is not valid: ")[2][:MAX_MESSAGE_LENGTH]
    return words if words.endswith((".", "!")) else f"{words}."


def _said(log: str) -> str:
    lines = log.splitlines()
    return "\n".join(line for line in lines if not PROGRESS.match(line) and not NOISE.search(line))
