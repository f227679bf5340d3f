"""Counts of what the code should have less of; tests/ratchets.toml holds the highest allowed.

`python -m tests.ratchets` prints the counts, and the statements of the product, which may grow.
`python -m tests.ratchets --write` lowers the limits of the counts that have fallen.
"""

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = ROOT / "tests" / "ratchets.toml"
PRODUCT = ("platform/", "apps/", "client/")
MAX_LINES = 70
SQL = re.compile(r"\.execute\(|\bRawSQL\(|\bSql\(|\.raw\(")
# Strings and comments, whose words are not counted, or an identifier.
TOKEN = re.compile(
    r'(?:"""|\'\'\')[\s\S]*?(?:"""|\'\'\')|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|#[^\n]*'
    r"|([A-Za-z_]\w*)"
)
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Names that say nothing of what they hold.
VAGUE = frozenset("told asked found known given kept words whole said most least longest".split())
# The retired vocabulary, and the field's word for each.
RETIRED = {
    "arrivals": "requests, rate",
    "askew": "oblique",
    "bell": "wakeup",
    "canary": "probe",
    "cell": "sandbox",
    "circumstances": "request_context",
    "deed": "operation, action",
    "doomed": "pending deletion",
    "door": "http, client, server",
    "doorbell": "wakeup",
    "horizon": "oldest_snapshot",
    "inmate": "sandbox child",
    "jail": "sandbox",
    "leavings": "stale files",
    "nursery": "parent",
    "office": "platform",
    "patience": "timeout",
    "refusal": "rejection, error",
    "road": "path",
    "roomy": "has_space",
    "silence": "idle_timeout",
    "sing": "probe",
    "taker": "flow",
    "walls": "sandboxing",
}
# Where a word is the field's own.
FIELD_TERMS = {
    "cell": re.compile(r"^(?!platform/core|tests/core)"),
    "walls": re.compile(r"geometry|packing"),
}
FORMER_PREFIX = re.compile(r"_?(MOST|LEAST|LONGEST)_")
VAGUE_STARTS = ("What", "Who", "Which", "How", "Whether", "Where", "That", "Those")
HEAD = """\
# The highest counts that tests/test_house.py allows. They may only fall: after a change that lowers
# some, run `python -m tests.ratchets --write`. The counts are explained in tests/ratchets.py.
"""


def count() -> dict[str, int]:
    """Return the counts of the tree as it is now, by name."""
    files = [path for path in python_files() if path.startswith(PRODUCT)]
    nodes = [node for path in _written(files) for node in ast.walk(parse(path))]
    texts = [(ROOT / path).read_text() for path in files]
    parameters = [node.annotation for node in nodes if isinstance(node, ast.arg)]
    counts = {
        "any_parameters": sum(_says_any(each) for each in parameters),
        "complexity_exemptions": sum(text.count("noqa: C901") for text in texts),
        "dict_str_any": sum(text.count("dict[str, Any]") for text in texts),
        "flat_files_of_core": len(list((ROOT / "platform" / "core").glob("*.py"))),
        "functions_over_70_lines": len(long_functions()),
        "module_docstrings": len(unclear_docstrings()),
        "raw_sql_files": sum(SQL.search(text) is not None for text in texts),
        "type_ignore": sum(text.count("type: ignore") for text in texts),
        "upward_imports_in_erp": _upward_imports(),
    }
    return counts | {f"word_{word}": number for word, number in sorted(_vague_words().items())}


def allowed() -> dict[str, int]:
    """Return the highest counts that are allowed, by name."""
    return tomllib.loads(ALLOWED.read_text())


def is_slack(allowed: int, now: int) -> bool:
    """Whether a count has fallen so far that the file is to be rewritten: by more than 2 %."""
    return now < allowed - allowed // 50


def unclear_docstrings() -> list[str]:
    """Return the modules whose docstring does not begin with one line that names what they are."""
    files = [path for path in python_files() if path.startswith(PRODUCT)]
    return [path for path in _written(files) if not _is_clear(path)]


def long_functions() -> list[str]:
    """Return the functions of the product with more than 70 lines: path, line and name."""
    return [
        f"{path}:{node.lineno} {node.name}"
        for path in _written(path for path in python_files() if path.startswith(PRODUCT))
        for node in ast.walk(parse(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (node.end_lineno or 0) - node.lineno >= MAX_LINES
    ]


@cache
def python_files() -> tuple[str, ...]:
    """Return the paths of all Python files but migrations."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return tuple(
        path
        for path in sorted(set(listed.stdout.split()))
        if "/migrations/" not in path and (ROOT / path).exists()
    )


@cache
def parse(path: str) -> ast.Module:
    """Return the syntax tree of a file, given below the root."""
    return ast.parse((ROOT / path).read_text())


def _written(paths: Iterable[str]) -> list[str]:
    """Return the paths without those of files that a program writes."""
    return [path for path in paths if "/generated/" not in path]


def _is_clear(path: str) -> bool:
    docstring = ast.get_docstring(parse(path))
    if docstring is None:
        return not parse(path).body
    line = docstring.partition("\n")[0]
    if "/commands/" in path and not path.endswith("__init__.py"):
        return line.startswith("manage.py ")
    vague = line.split(" ")[0].rstrip(":,.") in VAGUE_STARTS
    return not vague and not line.startswith("{") and len(line) <= 100


def _is_statement(node: ast.AST) -> bool:
    """Whether a node is a statement, and no docstring."""
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not docstring


def _says_any(annotation: ast.expr | None) -> bool:
    return annotation is not None and any(
        isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(annotation)
    )


def _upward_imports() -> int:
    """Return the imports that the contract between subjects of erp still excepts."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    subjects = [
        contract
        for contract in tool["importlinter"]["contracts"]
        if contract["name"].startswith("Subjects of")
    ]
    return sum("**" not in each for one in subjects for each in one.get("ignore_imports", []))


def retired_identifiers() -> dict[str, list[str]]:
    """Return the identifiers that have a word of RETIRED, or a former prefix, by path."""
    return {
        path: retired
        for path in _written(python_files())
        if (retired := sorted(name for name in _identifiers(path) if _is_retired(name, path)))
    }


def _is_retired(name: str, path: str) -> bool:
    return FORMER_PREFIX.match(name) is not None or any(
        word in RETIRED and not (word in FIELD_TERMS and FIELD_TERMS[word].search(path))
        for word in _parts(name)
    )


def _vague_words() -> Counter[str]:
    counts = Counter(dict.fromkeys(VAGUE, 0))
    for path in _written(python_files()):
        for name, number in _identifiers(path).items():
            for word in VAGUE.intersection(_parts(name)):
                counts[word] += number
    return counts


def _identifiers(path: str) -> Counter[str]:
    return Counter(TOKEN.findall((ROOT / path).read_text()))


@cache
def _parts(identifier: str) -> tuple[str, ...]:
    return tuple(part.lower() for part in PART.findall(identifier))


def statements() -> int:
    """Return the statements of the product, without docstrings."""
    files = [path for path in python_files() if path.startswith(PRODUCT)]
    return sum(_is_statement(node) for path in _written(files) for node in ast.walk(parse(path)))


def main() -> None:
    counts = count()
    print(f"statements: {statements()}")
    if "--write" in sys.argv:
        limits = allowed()
        lowest = {name: min(number, limits.get(name, number)) for name, number in counts.items()}
        lines = [f"{name} = {number}\n" for name, number in sorted(lowest.items())]
        ALLOWED.write_text(HEAD + "".join(lines))
    for name, number in sorted(counts.items()):
        print(f"{name}: {number}")


if __name__ == "__main__":
    main()
