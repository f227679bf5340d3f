"""manage.py new_resource: scaffold an ordinary resource of the manufacturing service.

Writes into the checkout: the model, its route and admin page, and the rows of the glossary, the
documentation and the test that every resource has. What it generates is ordinary code, to be
changed by hand afterwards.
"""

import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from apps.erp import models
from apps.erp.base.models.abstract import BureauResource

# Type of a field on the command line: its column, and its value in a new resource.
COLUMNS = {
    "text": ("text_field()", "None"),
    "string": ("short_text_field()", "None"),
    "number": ("measure(null=True, blank=True)", "None"),
    "money": ("Money(null=True, blank=True)", "None"),
    "boolean": ("models.BooleanField(default=False)", "False"),
}
NAME = re.compile(r"[a-z]+(-[a-z]+)*")
FIELD = re.compile(r"[a-z]+(_[a-z]+)*")
# What every resource of a bureau has, or Django gives its class.
RESERVED = frozenset({"bureau", "created", "id", "name", "objects", "pk", "updated", "uri", "uuid"})
SUBJECTS = ("organisation", "inventory", "orders", "production", "printing")


@dataclass(frozen=True)
class NewResource:
    """What to scaffold.

    kind    : name on the wire, such as post-processor
    right   : right on the bureau that writing it takes, such as printer_type.all
    columns : name and type of each field, in order
    """

    kind: str
    subject: str
    right: str
    columns: tuple[tuple[str, str], ...]

    @property
    def class_name(self) -> str:
        return self.kind.title().replace("-", "")

    @property
    def module(self) -> str:
        return f"apps.erp.{self.subject}.models.{self.kind.replace('-', '_')}"

    def model(self) -> str:
        """Source of its model."""
        used = {COLUMNS[kind][0].split("(")[0] for _, kind in self.columns} | {"name_field"}
        fields = sorted((name for name in used if "." not in name), key=str.lower)
        head = ["from django.db import models", ""] if len(fields) < len(used) else []
        return "\n".join(
            [
                f'"""{self.class_name} of a bureau."""',
                "",
                *head,
                f"from apps.erp.base.model_fields import {', '.join(fields)}",
                f"from apps.erp.base.models.abstract import {BureauResource.__name__}",
                "",
                "",
                f"class {self.class_name}({BureauResource.__name__}):",
                f'    """{self.class_name} of a bureau."""',
                "",
                f'    KIND = "{self.kind}"',
                f'    RIGHT = "{self.right}"',
                "",
                "    name = name_field()",
                *(f"    {name} = {COLUMNS[kind][0]}" for name, kind in self.columns),
                "",
            ]
        )


def scaffold(root: Path, new: NewResource) -> dict[Path, str]:
    """Return the new text of each file below `root`. Raises CommandError where one has no place."""
    cls, module = new.class_name, root / (new.module.replace(".", "/") + ".py")
    if module.exists() or hasattr(models, cls):
        raise CommandError(f"{new.kind}: there is such a resource. Choose another name.")
    names = [name for name, _ in new.columns]
    values = "".join(f', "{name}": {COLUMNS[kind][1]}' for name, kind in new.columns)
    sentences = "".join(f'{name} = "TODO: {name} of the {new.kind}."\n' for name in sorted(names))
    fields = ", ".join(["**`bureau`**, **`name`**", *(f"`{name}`" for name in names)])
    path = f"`/{new.kind}/`, `/{new.kind}/<uuid>/`"
    line, table = f"from {new.module} import {cls}\n", f'    "erp_{cls.lower()}",\n'
    exports, persisted = "apps/erp/models/__init__.py", "tests/project/persisted_names.toml"
    edits: dict[str, list[tuple[str, Callable[[str], str]]]] = {
        exports: [
            (_following(root / exports, line), lambda at: f"{line}{at}"),
            ("\n]\n", lambda at: f'\n    "{cls}",{at}'),
        ],
        "apps/erp/urls.py": [
            ("urlpatterns = [\n", lambda at: f"{at}    *resources(viewset_of(models.{cls})),\n")
        ],
        "apps/erp/admin/pages.py": [
            (
                "PLAIN: tuple[type[models.BaseResource], ...] = (\n",
                lambda at: f"{at}    models.{cls},\n",
            )
        ],
        "platform/project/admin_site.py": [
            ('            "erp.ThirdParty",\n', lambda at: f'{at}            "erp.{cls}",\n')
        ],
        persisted: [(_following(root / persisted, table), lambda at: f"{table}{at}")],
        "docs/manufacturing.md": [
            ("| `/shipping/`,", lambda at: f"| {path} | `{new.right}` on the bureau | |\n{at}"),
            ("| shipping | ", lambda at: f"| {new.kind} | {fields} |\n{at}"),
        ],
        "tests/erp/test_resource_fields.py": [
            (
                "KINDS = {\n",
                lambda at: f'{at}    "{new.kind}": (["name"], {{"bureau": ...{values}}}),\n',
            )
        ],
    }
    texts = {module: new.model()}
    for name, places in edits.items():
        text = (root / name).read_text()
        for at, insert in places:
            if at not in text:
                raise CommandError(f"{name}: no {at.strip()!r} to insert at. Edit it by hand.")
            text = text.replace(at, insert(at), 1)
        texts[root / name] = text
    if sentences:
        glossary = root / "apps/erp/glossary.toml"
        texts[glossary] = f"{glossary.read_text().rstrip()}\n\n[{cls}]\n{sentences}"
    return texts


def _following(path: Path, line: str) -> str:
    """Return the line before which another has its place in a sorted list of such lines."""
    start = line[: line.index("erp") + 3]
    lines = path.read_text().splitlines(keepends=True)
    later = (each for each in lines if each.startswith(start) and each > line)
    return next(later, "the end of the list")


class Command(BaseCommand):
    help = "Scaffold an ordinary resource of the manufacturing service, in this checkout."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", help="name on the wire, such as post-processor")
        parser.add_argument("--subject", choices=SUBJECTS, default="organisation")
        parser.add_argument("--right", required=True, help="such as printer_type.all")
        parser.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="NAME:TYPE",
            help=f"beside name; a type is one of {', '.join(COLUMNS)}",
        )

    def handle(self, *, kind: str, subject: str, right: str, field: list[str], **_: Any) -> None:
        """Write the files, or none of them, and print the steps that remain."""
        if not NAME.fullmatch(kind):
            raise CommandError(f"{kind!r}: lower-case words with hyphens, such as post-processor.")
        columns = tuple(_column(text) for text in field)
        root = Path(settings.BASE_DIR)
        for path, text in scaffold(root, NewResource(kind, subject, right, columns)).items():
            path.write_text(text)
            self.stdout.write(f"wrote {path.relative_to(root)}")
        self.stdout.write(
            "Next: replace each TODO of the glossary and the docstrings; ruff format; "
            f"manage.py makemigrations erp -n {kind.replace('-', '_')}; the steps 8 "
            "and 9 of docs/contributing.md; make test NAME=tests/erp/test_resource_fields.py"
        )


def _column(text: str) -> tuple[str, str]:
    name, _, kind = text.partition(":")
    taken = name in RESERVED or keyword.iskeyword(name)
    if not FIELD.fullmatch(name) or taken or kind not in COLUMNS:
        types = ", ".join(COLUMNS)
        raise CommandError(f"--field {text!r}: a name and a type ({types}), such as width:number.")
    return name, kind
