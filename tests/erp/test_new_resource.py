"""manage.py new_resource: what it writes is whole, and nothing is written where it cannot be."""

import ast
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from apps.erp.management.commands import new_resource
from apps.erp.management.commands.new_resource import NewResource, scaffold

ROOT = Path(settings.BASE_DIR)
NEW = NewResource(
    "build-plate", "organisation", "printer_type.all", (("width", "number"), ("notes", "text"))
)


def test_scaffold_writes_model_route_admin_docs_glossary_and_test():
    texts = {str(path.relative_to(ROOT)): text for path, text in scaffold(ROOT, NEW).items()}

    for name, text in texts.items():
        if name.endswith(".py"):
            ast.parse(text)
    (model,) = [
        node
        for node in ast.parse(texts["apps/erp/organisation/models/build_plate.py"]).body
        if isinstance(node, ast.ClassDef)
    ]
    assert model.name == "BuildPlate"
    assert [line.targets[0].id for line in model.body if isinstance(line, ast.Assign)] == [
        "KIND",
        "RIGHT",
        "name",
        "width",
        "notes",
    ]
    assert "*resources(viewset_of(models.BuildPlate))," in texts["apps/erp/urls.py"]
    assert "    models.BuildPlate,\n" in texts["apps/erp/admin/pages.py"]
    assert '"erp.BuildPlate",' in texts["platform/project/admin_site.py"]
    assert (
        "| build-plate | **`bureau`**, **`name`**, `width`, `notes` |"
        in (texts["docs/manufacturing.md"])
    )
    assert "[BuildPlate]" in texts["apps/erp/glossary.toml"]
    imports = (
        "from apps.erp.organisation.models.build_plate import BuildPlate\nfrom apps.erp.organis"
    )
    assert imports in texts["apps/erp/models/__init__.py"]
    assert (
        '"erp_bankaccount",\n    "erp_buildplate",' in texts["tests/project/persisted_names.toml"]
    )
    assert '"build-plate": (["name"]' in texts["tests/erp/test_resource_fields.py"]


def test_scaffold_rejects_a_resource_that_exists():
    with pytest.raises(CommandError, match="there is such a resource"):
        scaffold(ROOT, NewResource("shipping", "organisation", "shipping.all", ()))


@pytest.mark.parametrize(
    "arguments",
    [
        ["Build Plate"],
        ["build_plate"],
        ["build-plate", "--field", "width"],
        ["build-plate", "--field", "width:metres"],
        ["build-plate", "--field", "uuid:text"],
        ["build-plate", "--field", "class:text"],
    ],
)
def test_command_rejects_invalid_names_and_writes_nothing(arguments, monkeypatch):
    monkeypatch.setattr(new_resource, "scaffold", lambda root, new: pytest.fail("reached"))

    with pytest.raises(CommandError, match=r"such as|--field"):
        call_command("new_resource", *arguments, "--right", "printer_type.all")
