"""The commit-msg hook of .ci."""

import subprocess
from pathlib import Path

import pytest
from django.conf import settings

HOOK = Path(settings.BASE_DIR) / ".ci" / "commit-msg"


def check(message: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the hook on a message, as git does."""
    (folder / "COMMIT_EDITMSG").write_text(message)
    return subprocess.run([HOOK, folder / "COMMIT_EDITMSG"], capture_output=True, text=True)


@pytest.mark.parametrize(
    "message",
    [
        "queue: keep the start tag of retried messages\n\nIt was lost.\n",
        "core, apps: rename functions",
        "# a comment\nconsole: add a spool form\n",
        "Merge branch 'main'",
        'Revert "queue: keep the start tag"',
    ],
)
def test_hook_accepts_subject_with_area(message, tmp_path):
    assert check(message, tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("Say what a picture takes now", "is no area"),
        ("stuff: rename functions", "'stuff' is no area"),
        ("queue, stuff: rename functions", "'stuff' is no area"),
        ("queue: Ends with a full stop.", "without a full stop"),
        (f"queue: {'x' * 66}", "73 columns, at most 72"),
        ("", "is no area"),
    ],
)
def test_hook_refuses_subject_and_says_how_to_write_it(message, words, tmp_path):
    ended = check(message, tmp_path)

    assert ended.returncode == 1
    assert words in ended.stderr
