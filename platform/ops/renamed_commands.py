"""Former names of manage.py commands and options, accepted until the release after 0.9.

The supervisors, units and manifests of an installation call them, so an update must not break
them. Only the standard library: it is used before Django and the settings are loaded.
"""

import sys

COMMANDS = {
    ("analyse_models",): ("reanalyse_models",),
    ("announce",): ("announce_ready",),
    ("database",): ("embedded_postgres",),
    ("files", "probe"): ("storage", "test"),
    ("files",): ("storage",),
    ("ledger",): ("check_consistency",),
    ("make_service",): ("create_service_account",),
    ("prices", "check"): ("check_price_lists",),
    ("reindex",): ("reindex_models",),
    ("sign_in_link",): ("login_link",),
    ("watch",): ("watchdog",),
    ("work",): ("worker",),
}
OPTIONS = {
    "announce_ready": {"--patience": "--timeout"},
    "check_provider": {
        "--reached-at": "--public-address",
        "--wait": "--timeout",
        "--wrong": "--invalid-parameters",
    },
    "presets": {"--most": "--limit"},
    "up": {"--only": "--parts"},
}


def current_names(words: list[str]) -> list[str]:
    """Return the words after manage.py with former names replaced, each with a line on stderr."""
    for old, new in COMMANDS.items():
        if tuple(words[: len(old)]) == old:
            _warn(" ".join(old), " ".join(new))
            words = [*new, *words[len(old) :]]
            break
    options = OPTIONS.get(words[0], {}) if words else {}
    renamed = []
    for word in words:
        name, sign, value = word.partition("=")
        if name in options:
            _warn(f"{words[0]} {name}", f"{words[0]} {options[name]}")
            word = f"{options[name]}{sign}{value}"
        renamed.append(word)
    return renamed


def _warn(old: str, new: str) -> None:
    sys.stderr.write(f"manage.py: {old!r} is deprecated, use {new!r}.\n")
