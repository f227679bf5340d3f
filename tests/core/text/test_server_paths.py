"""Absolute paths are cut to file names; other text stays."""

import pytest

from core.text.server_paths import without_folders


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("cannot open /srv/data/job-7/cube.stl.", "cannot open cube.stl."),
        ("'/usr/share/cura/resources': no such folder", "'resources': no such folder"),
        ("/a/b.ini:12: unknown key", "b.ini:12: unknown key"),
        ("in /srv/data/definitions/", "in …"),
        ("see (/opt/x/y) and /opt/z/w", "see (y) and w"),
        ("file=/var/lib/x/y.json", "file=y.json"),
    ],
)
def test_absolute_path_is_cut_to_its_file_name(text, shown):
    assert without_folders(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "see https://example.com/a/b.html",
        "1/2 and 3/4 mm/s",
        "run bin/install-cura-definitions or ./bin/setup",
        "GET /model/ was rejected",
        "and/or",
        "",
    ],
)
def test_other_text_stays(text):
    assert without_folders(text) == text
