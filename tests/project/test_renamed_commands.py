"""Former names of commands, options and settings."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

from ops.renamed_commands import COMMANDS, OPTIONS, current_names


@pytest.mark.parametrize(
    ("former", "current"),
    [
        ("work slices --threads 8", "worker slices --threads 8"),
        ("files probe s3://a/b", "storage test s3://a/b"),
        ("files check --deep", "storage check --deep"),
        ("prices check --bureau Ada", "check_price_lists --bureau Ada"),
        ("up --only web --console", "up --parts web --console"),
        ("up --only=web", "up --parts=web"),
        ("announce web --patience 0", "announce_ready web --timeout 0"),
    ],
)
def test_former_name_becomes_current_name_with_a_warning(former, current, capsys):
    assert current_names(former.split()) == current.split()

    assert "deprecated, use" in capsys.readouterr().err


@pytest.mark.parametrize("words", ["", "worker slices", "up --parts web", "presets --check"])
def test_current_names_pass_without_a_warning(words, capsys):
    assert current_names(words.split()) == words.split()

    assert capsys.readouterr().err == ""


def test_former_names_lead_to_commands_that_exist():
    names = get_commands()

    assert [
        new for new, *_ in [*COMMANDS.values(), *((name,) for name in OPTIONS)] if new not in names
    ] == []
    assert [old for old, *more in COMMANDS if not more and old in names] == []


def test_manage_py_runs_a_command_by_its_former_name():
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "work", "--help"]

    ended = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "manage.py worker" in ended.stdout
    assert ended.stderr == "manage.py: 'work' is deprecated, use 'worker'.\n"


def test_former_name_of_a_setting_alone_is_an_error_with_the_new_name():
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), "check"]

    ended = subprocess.run(
        command, env={**os.environ, "BED": "1,2,3"}, capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert ended.stderr == "The setting BED is now DEFAULT_BED_SIZE. Rename it.\n"
