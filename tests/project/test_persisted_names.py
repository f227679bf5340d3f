"""Names that databases, backups, signed links and workers of other versions hold."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import dramatiq
import pytest
from django.apps import apps
from django.conf import settings
from django.utils.module_loading import autodiscover_modules

from core.secrets_file import NAMES
from ops.programs import PARTS, QUEUES
from project.admin_middleware import OperatorSession

ROOT = Path(settings.BASE_DIR)
LIST = Path(__file__).parent / "persisted_names.toml"
MIN_LOCK = 1_000_000  # numbers of advisory locks are larger, to collide with nobody's


@cache
def sources() -> dict[Path, str]:
    """The product's modules; migrations say what was, not what is."""
    paths = [path for folder in ("platform", "apps") for path in (ROOT / folder).rglob("*.py")]
    return {path: path.read_text() for path in sorted(paths) if path.parent.name != "migrations"}


@cache
def nodes() -> tuple[ast.AST, ...]:
    return tuple(node for text in sources().values() for node in ast.walk(ast.parse(text)))


def literal(node: ast.AST | None) -> str | None:
    """The text of a string, with {} for each value that is put into it; None of anything else."""
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
        return "".join(str(part) for part in parts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return literal(node.func.value) if node.func.attr == "encode" else None
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else None


def calls(name: str, argument: int) -> set[str]:
    """The literal that is passed to a function, wherever it is called."""
    found = (
        literal(node.args[argument])
        for node in nodes()
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] == name
        and len(node.args) > argument
    )
    return {text for text in found if text}


def constants() -> Iterator[tuple[Path, str, object]]:
    """Names and values of constants at the level of a module."""
    for path, text in sources().items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                for target in node.targets:
                    yield path, ast.unparse(target), node.value.value


def read_actors() -> set[str]:
    autodiscover_modules("actors")
    own = dramatiq.get_broker().actors.values()
    return {
        f"{actor.actor_name} {actor.queue_name}"
        for actor in own
        if actor.fn.__module__.startswith(("core.", "apps."))
    }


def read_channels() -> set[str]:
    named = {str(value) for _, name, value in constants() if name.endswith("CHANNEL")}
    pattern = re.compile(r"pg_notify\('([^']+)' \|\| queue_name \|\| '([^']+)'")
    composed = {
        f"{before}<queue>{after}"
        for text in sources().values()
        for before, after in pattern.findall(text)
    }
    return named | composed


def read_message_options() -> set[str]:
    """Those that the queue's own modules set or read on messages."""
    texts = [text for path, text in sources().items() if path.parent.name == "queue"]
    pattern = re.compile(r'message\.options(?:\.\w+\(|\[)"?(\w+)')
    values = {name: str(value) for _, name, value in constants()}
    return {values.get(name, name) for text in texts for name in pattern.findall(text)}


def read_lock_numbers() -> set[str]:
    return {
        str(value)
        for path, _, value in constants()
        if "advisory" in sources()[path] and isinstance(value, int) and value > MIN_LOCK
    }


def read_salts() -> set[str]:
    keywords = {
        literal(node.value)
        for node in nodes()
        if isinstance(node, ast.keyword) and node.arg == "salt"
    }
    attributes = {
        literal(node.value)
        for node in nodes()
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "key_salt"
    }
    found = keywords | attributes | calls("derived_secret", 0) | calls("salted_hmac", 0)
    found |= {OperatorSession().key_salt}
    return {text for text in found if text}


def read_settings() -> set[str]:
    pattern = re.compile(r'(?:environ(?:ment)?(?:\.get\(|\[)|env\.\w+\(|_list\()\s*"([A-Z_]+)"')
    return {name for text in sources().values() for name in pattern.findall(text)}


def read_metrics() -> set[str]:
    return set(re.findall(r'"(platform_\w+)"', (ROOT / "platform/project/metrics.py").read_text()))


def read_tables() -> set[str]:
    models = apps.get_models(include_auto_created=True)
    return {row._meta.db_table for row in models if not row.__module__.startswith("tests.")}


READ = {
    "actors": read_actors,
    "channels": read_channels,
    "lock_names": lambda: calls("advisory_lock", 0),
    "lock_numbers": read_lock_numbers,
    "message_options": read_message_options,
    "metrics": read_metrics,
    "programs": lambda: set(PARTS),
    "queues": lambda: set(QUEUES),
    "salts": read_salts,
    "secrets": lambda: set(NAMES),
    "settings": read_settings,
    "tables": read_tables,
    "uuid_seeds": lambda: calls("uuid5", 1),
    "uuids": lambda: calls("UUID", 0),
}


@pytest.mark.parametrize("kind", sorted(READ))
def test_persisted_names_stay(kind):
    listed, present = set(tomllib.loads(LIST.read_text())[kind]), READ[kind]()

    gone, new = sorted(listed - present), sorted(present - listed)

    assert not gone, (
        f"{kind} {gone} are gone, but installations hold them: add, never change. Keep the value "
        f"and rename what is around it. {LIST.name} loses a name only where an upgrade handles it."
    )
    assert not new, f"{kind} {new} are new: add them to {LIST.relative_to(ROOT)}."
