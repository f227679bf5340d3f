"""Guards of the source tree: layout, names, migrations, actors; each says how to mend."""

import ast
import platform
import re
import subprocess
import sysconfig
from collections import Counter
from functools import cache
from pathlib import Path

import dramatiq
import pytest
from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver
from django.utils.module_loading import autodiscover_modules
from django_hosts.resolvers import get_host

from tests import ratchets

NO_SUCH_UUID = "01900000-0000-7000-8000-000000000000"
ROOT = Path(__file__).resolve().parents[1]
# Tests that read the tree: each says in a message how to mend what it finds.
GUARDS = (
    "tests/test_house.py",
    "tests/console/test_translations.py",
    "tests/console/test_ui_words.py",
    "tests/pricing/test_documented_steps.py",
    "tests/project/test_data_model_page.py",
    "tests/project/test_docs.py",
    "tests/project/test_docs_titles.py",
    "tests/project/test_glossary.py",
    "tests/project/test_licences.py",
    "tests/project/test_persisted_names.py",
    "tests/project/test_printers_page.py",
)
# What is defined once: a pattern of its formula, and the one module that may have it.
HOMES = {
    "signed volume": (r'\[:3\] \* |einsum\("ij,ij->"', "mesh/mesh.py"),
    "area vectors of facets": (r"def area_vectors", "mesh/mesh.py"),
    "winding number": (r"np\.arctan2\(determinant|def _?winding_number", "mesh/mesh.py"),
    "hash of corners": (r"(?i)0x9E3779B97F4A7C15", "mesh/facet_kernels.py"),
    "mixing of machine words": (r"(?i)0xBF58476D1CE4E5B9", "mesh/welding.py"),
    "weld of equal corners": (r"def _?weld\(|def join_equal", "mesh/welding.py"),
    "groups of near vertices": (r"\.query_pairs\(", "mesh/near.py"),
    "connected components": (r"import connected_components", "mesh/half_edges.py"),
    "facets of three different corners": (r"\(a != b\) & \(b != c\)", "mesh/half_edges.py"),
    "STL record": (r'dtype\(\[\("normal"', "formats/stl/detection.py"),
    "GLB header": (r'b"glTF" \+', "formats/gltf_writer.py"),
    "3MF package": (r"ZipFile\(path, \"w\"", "formats/threemf/writer.py"),
}


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    return ast.parse(path.read_text())


def test_source_root_does_not_shadow_the_standard_library():
    assert Path(platform.__file__).parent == Path(sysconfig.get_path("stdlib"))
    assert not (ROOT / "platform" / "__init__.py").exists(), "delete it: see docs/decisions/0001"


def test_no_source_file_exceeds_the_line_limit():
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.py", "bin/*"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    generated = ("/migrations/", "/generated/")
    files = [ROOT / name for name in listed.stdout.split() if not any(g in name for g in generated)]

    long = [
        str(file) for file in files if file.exists() and len(file.read_text().splitlines()) > 400
    ]

    assert len(files) > 100
    assert long == [], "split each into modules of at most 400 lines, by subject"


def test_class_names_are_unique_within_a_package():
    """A class name means one thing within a package; inner classes may repeat."""
    repeated = {}
    for package in [*(ROOT / "platform").iterdir(), *(ROOT / "apps").iterdir()]:
        files = [path for path in package.rglob("*.py") if "migrations" not in path.parts]
        trees = [tree(path) for path in files]
        names = Counter(n.name for tree in trees for n in tree.body if isinstance(n, ast.ClassDef))
        repeated[package.name] = {name for name, count in names.items() if count > 1} - {"Command"}

    assert len(repeated) > 10
    assert not any(repeated.values()), f"rename one of each: {repeated}"


@pytest.mark.parametrize("formula", HOMES)
def test_each_mesh_formula_is_defined_in_one_module(formula):
    pattern, home = HOMES[formula]
    files = [*(ROOT / "platform").rglob("*.py"), *(ROOT / "apps").rglob("*.py")]

    modules = {path.relative_to(ROOT) for path in files if re.search(pattern, path.read_text())}

    assert modules == {Path("platform") / "geometry" / home}, (
        f"import it from platform/geometry/{home}; where it has moved, edit HOMES of this file"
    )


def test_no_migration_is_missing(db):
    ours = [name.rpartition(".")[2] for name in settings.INSTALLED_APPS if name.startswith("apps.")]
    call_command("makemigrations", *ours, "core", check_changes=True, dry_run=True, verbosity=0)


def test_no_sql_statement_names_a_table_of_another_app():
    """Apps use each other's data in SQL through database functions only (docs/architecture.md)."""
    tables = {
        kind._meta.db_table: Path(apps.get_app_config(kind._meta.app_label).path)
        for kind in apps.get_models(include_auto_created=True)
        if kind.__module__.startswith(("apps.", "core."))
    }
    sources = [*(ROOT / "apps").rglob("*.py"), *(ROOT / "platform").rglob("*.py")]

    found = [
        f"{path.relative_to(ROOT)}: {table}"
        for path in sources
        for table in re.findall(r"(?i)(?:from|join|update|into) (\w+)", path.read_text())
        if table in tables and tables[table] not in path.parents
    ]

    assert len(tables) > 60
    assert found == [], "use a database function that the app's interface.py names"


def test_status_is_written_only_by_the_state_machine():
    """Rows are created in a state; afterwards only core.state_machine changes it."""
    sources = [*(ROOT / "apps").rglob("*.py"), *(ROOT / "platform").rglob("*.py")]

    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sources
        if path != ROOT / "platform" / "core" / "state_machine.py"
        for node in ast.walk(tree(path))
        if _writes_a_status(node)
    ]

    assert len(sources) > 400
    assert found == [], "call move() or transition_all() of platform/core/state_machine.py"


def test_user_actor_and_owner_parameters_are_typed():
    untyped = []
    for file in (*ROOT.glob("apps/**/*.py"), *ROOT.glob("platform/[!g]*/**/*.py")):
        for node in ast.walk(tree(file)):
            if isinstance(node, ast.FunctionDef):
                names = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                untyped += [
                    f"{file.relative_to(ROOT)}:{name.lineno}"
                    for name in names
                    if name.arg in ("user", "actor", "owner")
                    and (name.annotation is None or "Any" in ast.unparse(name.annotation))
                ]

    assert untyped == [], "annotate them: User, or Person of platform/core/auth_user.py"


def test_serializers_declare_no_read_only_fields():
    files = [*ROOT.glob("apps/*/serializers/*.py"), *ROOT.glob("apps/*/serializers.py")]

    read_only = [file for file in files if "read_only=True" in file.read_text()]

    assert len(files) > 30
    assert read_only == [], "responses are TypedDicts: see docs/decisions/0023"


def _writes_a_status(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign):
        return any(
            isinstance(target, ast.Attribute) and target.attr == "status"
            for target in ast.walk(node)
            if isinstance(getattr(target, "ctx", None), ast.Store)
        )
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        written = [word.value for word in ast.walk(node) if isinstance(word, ast.Constant)]
        by_name = node.func.attr in ("update", "aupdate") and any(
            keyword.arg == "status" for keyword in node.keywords
        )
        listed = node.func.attr in ("save", "bulk_update", "__setattr__") and "status" in written
        return by_name or listed
    return False


def test_every_actor_has_a_docstring_and_a_permanent_failure_handler():
    autodiscover_modules("actors")
    broker = dramatiq.get_broker()
    actors = {
        name: actor
        for name, actor in broker.actors.items()
        if actor.fn.__module__.startswith("apps.")
    }

    assert {"analyse_model", "render_snapshot", "slice_model", "index_model"} <= set(actors)
    for name, actor in actors.items():
        assert actor.fn.__doc__, f"add a docstring to {name}"
        if "->" in actor.fn.__doc__:
            handler = actor.options["on_retry_exhausted"]
            assert handler == "give_up", f"declare {name} with @row_job of core.queue.row_jobs"


@pytest.mark.parametrize("service", settings.SERVICES)
def test_only_listed_paths_are_open_without_authentication(client_of, db, service):
    """Every path of every host requires authentication, but those that are listed here."""
    stranger = client_of(service)
    open_paths = {"openapi.json", "password-resets/", "password-resets/<str:token>/"}
    open_paths |= {"sessions/", "users/", "about/", "stripe-webhook/", "sink/<str:token>/"}
    open_paths |= {"operation/<uuid:uuid>/report/", "sessions/by-link/", "agent/pair/"}
    open_paths |= {"visit/"} if service == "sales" else set()
    open_paths |= {
        "shared-order/<str:token>/",
        "shared-order/<str:token>/accept/",
        "shared-order/<str:token>/print-decision/",
        "shared-order/<str:token>/print-reports/",
        "shared-order/<str:token>/card-payment/",
        "shared-order/<str:token>/card-payment/refresh/",
        "stripe/<uuid:uuid>/",
        "store/<slug:slug>/",
        "customer-account/sign-in/",
        "customer-account/sign-in-by-link/",
        "customer-account/sign-in-link/",
    }
    open_paths |= {"", "docs/", "docs/all/", "docs/<str:name>/"}
    seen = 0

    for pattern in get_resolver(get_host(service).urlconf).url_patterns:
        route = str(pattern.pattern)
        path = "/" + route.replace("<uuid:uuid>", NO_SUCH_UUID).replace(
            "<uuid:model>", NO_SUCH_UUID
        )
        path = path.replace("<uuid:key>", NO_SUCH_UUID)
        path = path.replace("<int:number>", "0").replace("<int:seq>", "1")
        for method in ("get", "post", "put", "delete"):
            status = getattr(stranger, method)(path, {}).status_code
            seen += 1
            if route in open_paths:
                assert status < 500, (method, path)
            else:
                assert status == 401, f"{method} {path}: authenticate, or add it to open_paths here"

    assert seen >= 16


def test_django_system_check_passes(db):
    call_command("check", fail_level="WARNING")


def test_no_identifier_has_a_retired_word():
    retired = ratchets.retired_identifiers()

    assert retired == {}, "use the field's word, see RETIRED of tests/ratchets.py; MAX_ and MIN_"


def test_guards_say_what_to_do():
    mute = []
    for path in GUARDS:
        for test in tree(ROOT / path).body:
            asserts = [node for node in ast.walk(test) if isinstance(node, ast.Assert)]
            if asserts and not any(each.msg for each in asserts):
                mute.append(f"{path}:{test.lineno}")

    assert mute == [], "add a message that names the command to run or the file to edit"


def test_counts_of_ratchets_only_fall():
    """Of what the code should have less of: tests/ratchets.py says what is counted."""
    counts, allowed = ratchets.count(), ratchets.allowed()
    named = {
        "functions_over_70_lines": ratchets.long_functions(),
        "module_docstrings": ratchets.unclear_docstrings(),
    }

    risen = {
        name: (now, named.get(name, ""))
        for name, now in counts.items()
        if now > allowed.get(name, -1)
    }
    fallen = [
        name for name, most in allowed.items() if ratchets.is_slack(most, counts.get(name, 0))
    ]

    assert not risen, "counts rose: take as many away elsewhere, see tests/ratchets.py"
    assert not fallen, "counts fell: run `python -m tests.ratchets --write` and commit the file"


def test_public_interfaces_are_thin():
    lines = {path: len(path.read_text().splitlines()) for path in ROOT.glob("apps/*/interface.py")}

    long = {str(path.relative_to(ROOT)): count for path, count in lines.items() if count > 150}

    assert len(lines) == 8
    assert not long, "move the logic into domain, queries or services, and import it by its name"
