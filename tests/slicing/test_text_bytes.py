"""Bytes of an account: the G-code inside a container is kept, and counts."""

import io
import zipfile

import pytest

from apps.slicing.models import Gcode
from core.files import usage
from core.models import Usage

pytestmark = pytest.mark.django_db

GCODE = b"G21\nG90\nM83\nG1 Z0.2 F6000\n" + b"G1 X10 Y0 E1\nG1 X0 Y0 E1\n" * 200


def test_gcode_inside_a_container_counts_until_the_file_is_deleted(
    client_of, person, upload_gcode, run_jobs
):
    slicing = client_of("slicing", person)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("Metadata/plate_1.gcode", GCODE)
    gcode = slicing.post("/gcode/", {"name": "plate.gcode.3mf"}).json()
    upload_gcode(gcode, content.getvalue())
    run_jobs()
    text = Gcode.objects.get().text

    used = Usage.objects.get(account=person.pk).bytes
    assert text.size > len(content.getvalue())
    assert used == len(content.getvalue()) + text.size
    assert usage.correct() == 0
    Usage.objects.filter(account=person.pk).update(bytes=1)
    assert usage.correct() == 1
    assert Usage.objects.get(account=person.pk).bytes == used
    assert slicing.delete(gcode["uri"]).status_code == 204
    assert Usage.objects.get(account=person.pk).bytes == 0
