"""Gcode of a client's own, and layers of any gcode, over HTTP."""

import hashlib
import io
import re
import struct
import zipfile
from datetime import timedelta

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone

from apps.slicing.actors import expire_gcode_upload, expire_gcode_uploads
from apps.slicing.interface import gcode_file
from apps.slicing.models import Gcode
from apps.slicing.serializers.gcode import DrawnLayerAnswer, GcodeAnswer, LayerAnswer
from apps.users.models import Permission
from core.errors import ServiceError
from core.files import blobs
from core.files.signed_urls import InvalidSignature, verify_download, verify_upload
from core.models import Blob
from core.queue.row_jobs import fail_permanently

pytestmark = pytest.mark.django_db

SQUARE = b"""\
G21
G90
M83
M140 S60
M109 S210
;TYPE:Perimeter
G1 Z0.2 F6000
G1 X10 Y0 E1
G1 X10 Y10 E1
G1 X0 Y10 E1
G1 Z0.4
;TYPE:Support material
G1 X0 Y0 E1
"""


@pytest.fixture
def slicing(client_of, person):
    return client_of("slicing", person)


@pytest.fixture
def created(slicing):
    return slicing.post("/gcode/", {"name": "square.gcode"})


def test_gcode_is_uploaded_analysed_and_read(slicing, created, upload_gcode, run_jobs):
    assert created.status_code == 201
    gcode = created.json()
    assert created["Location"] == gcode["uri"]
    assert set(gcode) == set(GcodeAnswer.__annotations__)
    assert (gcode["status"], gcode["content"], gcode["figures"]) == ("not-uploaded", None, None)

    upload_gcode(gcode, SQUARE)
    waiting = slicing.get(gcode["uri"]).json()
    assert (waiting["status"], waiting["content"]) == ("processing", None)
    assert run_jobs() == ["analyse_gcode", "receive_gcode"]

    gcode = slicing.get(gcode["uri"]).json()
    assert (gcode["status"], gcode["errors"], gcode["name"]) == ("processed", None, "square.gcode")
    assert gcode["file_size"] == len(SQUARE)
    figures = gcode["figures"]
    assert (figures["layers"], figures["filament_mm"]) == (2, 4)
    assert figures["bounds"] == [[0, 0, 0.2], [10, 10, 0.4]]
    assert set(figures["volumes_cc"]) == {"perimeter", "support material"}
    assert figures["highest_nozzle_temperature"] == 210
    assert figures["highest_bed_temperature"] == 60
    path, _, query = gcode["content"].partition("?")
    grant = verify_download("/content/" + path.rpartition("/")[2], query)
    assert (grant.sha256, grant.filename) == (hashlib.sha256(SQUARE).hexdigest(), "square.gcode")


@pytest.mark.parametrize(
    ("ending", "media_type"), [("bgcode", "application/octet-stream"), ("gcode.3mf", "model/3mf")]
)
def test_container_is_stored_and_the_gcode_inside_is_read(
    slicing, upload_gcode, run_jobs, ending, media_type
):
    content = io.BytesIO()
    if ending == "bgcode":  # a block of plain gcode, without a checksum
        content.write(b"GCDE" + struct.pack("<IHHHIH", 1, 0, 1, 0, len(SQUARE), 0) + SQUARE)
    else:
        with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("Metadata/plate_1.gcode", SQUARE)
    gcode = slicing.post("/gcode/", {"name": f"square.{ending}"}).json()
    upload_gcode(gcode, content.getvalue())
    run_jobs()

    gcode = slicing.get(gcode["uri"]).json()
    assert (gcode["status"], gcode["errors"]) == ("processed", None)
    assert (gcode["figures"]["layers"], gcode["figures"]["filament_mm"]) == (2, 4)
    path, _, query = gcode["content"].partition("?")
    grant = verify_download("/content/" + path.rpartition("/")[2], query)
    assert grant.sha256 == hashlib.sha256(content.getvalue()).hexdigest()
    assert (grant.filename, grant.media_type) == (f"square.{ending}", media_type)
    layer = slicing.get(gcode["uri"] + "layers/0/").json()
    assert (layer["complete"], layer["paths"][0]["feature"]) == (True, "perimeter")
    handed_out = gcode_file(gcode["uri"])  # what a printer agent gets
    assert blobs.read(handed_out.sha256, 0, handed_out.size).strip() == SQUARE.strip()
    assert slicing.get(gcode["uri"] + "paths/").status_code == 202
    run_jobs()
    assert slicing.get(gcode["uri"] + "paths/").json()["status"] == "processed"


def test_gcode_upload_url_accepts_only_octet_stream(created):
    location = created["X-Upload-Location"]
    path, query = re.fullmatch(r"https?://[^/]+([^?]+)\?(.*)", location).groups()

    grant = verify_upload(path, query, "application/octet-stream")

    assert (grant.kind, f"{grant.uuid}") == ("gcode", created.json()["uri"].split("/")[-2])
    with pytest.raises(InvalidSignature):
        verify_upload(path, query, "text/x.gcode")


def test_gcode_name_is_optional(slicing):
    assert slicing.post("/gcode/").json()["name"] is None
    assert slicing.post("/gcode/", {"name": None}).json()["name"] is None
    assert slicing.post("/gcode/", {"title": "a"}).status_code == 400


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "empty-file"),
        (b"PK\x03\x04...", "archive"),
        (b"<html>Not found</html>", "syntax-error"),
        (b"G28\n", "no-moves"),
        (b"G1 X1\nG1 X9999999\n", "out-of-range"),
    ],
)
def test_invalid_gcode_ends_in_error_with_a_code(
    slicing, created, upload_gcode, run_jobs, data, code
):
    upload_gcode(created.json(), data)
    run_jobs()

    gcode = slicing.get(created["Location"]).json()
    assert (gcode["status"], gcode["content"], gcode["figures"]) == ("error", None, None)
    assert [error["code"] for error in gcode["errors"]] == [code]
    assert slicing.get(created["Location"] + "layers/").status_code == 404


def test_same_gcode_content_can_be_uploaded_again_and_other_content_cannot(
    created, upload_gcode, run_jobs, slicing
):
    gcode = created.json()
    upload_gcode(gcode, SQUARE)
    upload_gcode(gcode, SQUARE)
    run_jobs()
    upload_gcode(gcode, SQUARE)

    with pytest.raises(ServiceError) as refused:
        upload_gcode(gcode, b"G1 X1\n")

    assert (refused.value.status, refused.value.code) == (409, "content-exists")
    assert Blob.objects.filter(sha256=hashlib.sha256(b"G1 X1\n").hexdigest()).count() == 0
    assert slicing.get(gcode["uri"]).json()["status"] == "processed"


def late(gcode: dict) -> None:
    """It was made longer ago than its upload location lives."""
    made = timezone.now() - settings.UPLOAD_EXPIRY - timedelta(seconds=1)
    Gcode.objects.filter(pk=gcode["uri"].split("/")[-2]).update(created=made)
    expire_gcode_uploads.fn()


def test_unused_upload_url_expires_and_sets_the_gcode_to_error(
    slicing, created, upload_gcode, queued, run_jobs
):
    gcode = created.json()
    expire_gcode_uploads.fn()
    assert queued() == []  # not before its time

    late(gcode)
    run_jobs()

    gcode = slicing.get(gcode["uri"]).json()
    assert (gcode["status"], gcode["errors"][0]["code"]) == ("error", "upload-expired")
    with pytest.raises(ServiceError) as refused:
        upload_gcode(gcode, SQUARE)
    assert (refused.value.status, refused.value.code) == (409, "upload-expired")


def test_used_upload_url_does_not_expire_the_gcode(slicing, created, upload_gcode):
    upload_gcode(created.json(), SQUARE)

    late(created.json())
    expire_gcode_upload.fn(created.json()["uri"].split("/")[-2])

    assert slicing.get(created["Location"]).json()["status"] == "processing"


def test_gcode_analysis_that_fails_permanently_reports_the_reason(slicing, created, upload_gcode):
    upload_gcode(created.json(), SQUARE)
    uuid = created.json()["uri"].split("/")[-2]

    fail_permanently("analyse_gcode", uuid, {"reason": "worker-died", "starts": 3})

    (error,) = slicing.get(created["Location"]).json()["errors"]
    assert error["code"] == "worker-died"
    assert "3 times" in error["title"]


def test_gcode_is_renamed_and_deleted(slicing, created, upload_gcode, run_jobs):
    uri = created["Location"]
    assert slicing.put(uri, {"name": "new"}).status_code == 204
    assert slicing.put(uri, slicing.get(uri).json()).status_code == 204
    assert slicing.get(uri).json()["name"] == "new"

    assert slicing.delete(uri).status_code == 204

    assert slicing.get(uri).status_code == 404
    with pytest.raises(ServiceError) as refused:
        upload_gcode(created.json(), SQUARE)
    assert (refused.value.status, refused.value.code) == (403, "location-expired")
    assert run_jobs() == []


def test_gcode_is_private_until_it_is_shared(slicing, created, client_of, person, stranger):
    uri, other = created["Location"], client_of("slicing", stranger)
    assert other.get(uri).status_code == 404
    assert other.get("/gcode/").json()["meta"]["count"] == 0

    for right in ("read", "write"):
        answer = client_of("users", person).post(
            "/permissions/",
            {"holder": stranger.uri, "namespace": "slicing", "object": uri, "right": right},
        )
        assert answer.status_code == 201

    assert other.get(uri).status_code == 200
    assert other.put(uri, {"name": "theirs"}).status_code == 204
    assert other.delete(uri).status_code == 403
    assert slicing.delete(uri).status_code == 204
    assert Permission.objects.filter(object=uri).count() == 0


def test_gcodes_are_listed_filtered_searched_and_sorted(slicing, upload_gcode, run_jobs):
    first = slicing.post("/gcode/", {"name": "beta"}).json()
    slicing.post("/gcode/", {"name": "alpha"})
    upload_gcode(first, SQUARE)
    run_jobs()

    def names(**asked):
        answer = slicing.get("/gcode/", asked).json()
        return [item["name"] for item in answer["resources"]]

    assert names() == ["alpha", "beta"]
    assert names(**{"filter[status]": "processed"}) == ["beta"]
    assert names(**{"search[name]": "alp"}) == ["alpha"]
    assert names(**{"filter[file_size]>": "1"}) == ["beta"]
    assert names(sort="-name") == ["beta", "alpha"]
    assert slicing.get("/gcode/", {"filter[colour]": "red"}).status_code == 400


def test_gcode_layers_are_paginated(slicing, created, upload_gcode, run_jobs):
    uri = created["Location"]
    upload_gcode(created.json(), SQUARE)
    run_jobs()

    listed = slicing.get(uri + "layers/", {"page[limit]": 1}).json()

    (layer,) = listed["resources"]
    assert set(layer) == set(LayerAnswer.__annotations__)
    assert layer["uri"] == uri + "layers/0/"
    assert (layer["number"], layer["z"], layer["height"]) == (0, 0.2, 0.2)
    assert (layer["filament_mm"], layer["lines"], layer["travels"]) == (3, 3, 1)
    assert layer["bounds"] == [[0, 0], [10, 10]]
    assert listed["meta"] == {"count": 2}
    assert listed["links"]["prev"] is None
    following = slicing.get(listed["links"]["next"]).json()
    assert [item["number"] for item in following["resources"]] == [1]
    assert following["links"]["next"] is None


def test_gcode_layer_contains_its_toolpaths_by_feature(slicing, created, upload_gcode, run_jobs):
    upload_gcode(created.json(), SQUARE)
    run_jobs()

    layer = slicing.get(created["Location"] + "layers/1/").json()

    assert set(layer) == set(DrawnLayerAnswer.__annotations__)
    assert layer["complete"] is True
    (path,) = layer["paths"]
    assert (path["feature"], path["points"]) == ("support material", [0, 10, 0, 0])
    missing = slicing.get(created["Location"] + "layers/2/")
    assert missing.status_code == 404
    assert "2 layers" in missing.json()["errors"][0]["title"]


def test_layers_are_visible_to_readers_of_the_gcode_only(
    slicing, created, upload_gcode, run_jobs, client_of, stranger
):
    waiting = slicing.get(created["Location"] + "layers/")
    assert waiting.status_code == 404
    assert "not-uploaded" in waiting.json()["errors"][0]["title"]
    upload_gcode(created.json(), SQUARE)
    run_jobs()

    for path in ("layers/", "layers/0/"):
        assert client_of("slicing", stranger).get(created["Location"] + path).status_code == 404
        assert slicing.get(created["Location"] + path).status_code == 200


@pytest.mark.engine
@pytest.mark.parametrize("engine", ["slic3r", "cura"])
def test_equal_slices_have_the_same_layers(
    slicing, client_of, person, upload, run_jobs, cube, engine
):
    made = slicing.post("/config/curated/", {"engine": engine, "parameters": {}})
    if made.status_code == 503:
        pytest.skip("the engine is not installed")
    model = client_of("models", person).post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    order = {"model": model["uri"], "config": made.json()["uri"]}
    first = slicing.post("/slice/", order).json()
    run_jobs()
    second = slicing.post("/slice/", order).json()
    run_jobs()

    first, second = slicing.get(first["uri"]).json(), slicing.get(second["uri"]).json()
    for made in (first, second):
        listed = slicing.get(made["uri"] + "layers/").json()
        assert listed["meta"]["count"] == made["figures"]["layers"] == 100
        assert sum(item["filament_mm"] for item in listed["resources"]) == pytest.approx(
            made["figures"]["filament_mm"]
        )
        middle = slicing.get(listed["resources"][50]["uri"]).json()
        assert middle["z"] == pytest.approx(10.2)
        assert {path["feature"] for path in middle["paths"]} <= set(made["figures"]["volumes_cc"])
        assert sum(len(path["points"]) for path in middle["paths"]) > 50


def test_admin_finds_gcode_and_enqueues_a_stuck_analysis(
    created, upload_gcode, client_of, operator, run_jobs, slicing
):
    upload_gcode(created.json(), SQUARE)
    row = Gcode.objects.get()
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM dramatiq.queue WHERE available_at <= now()")
    admin = client_of("admin")
    word = "correct horse battery"
    admin.post("/login/", {"username": "root", "password": word}, format="multipart")

    page = admin.get("/slicing/gcode/", {"q": "square"})
    sent = admin.post(
        "/slicing/gcode/",
        {"action": "judge_again", "_selected_action": [str(row.pk)]},
        format="multipart",
    )

    assert str(row.pk) in page.content.decode()
    assert sent.status_code == 302
    assert run_jobs() == ["analyse_gcode", "receive_gcode"]
    assert slicing.get(created["Location"]).json()["status"] == "processed"


def test_admin_repeats_an_analysis_that_failed_permanently(
    created, upload_gcode, client_of, operator, run_jobs, slicing
):
    upload_gcode(created.json(), SQUARE)
    row = Gcode.objects.get()
    fail_permanently("analyse_gcode", str(row.pk), {"reason": "worker-died", "starts": 3})
    admin = client_of("admin")
    word = "correct horse battery"
    admin.post("/login/", {"username": "root", "password": word}, format="multipart")

    admin.post(
        "/slicing/gcode/",
        {"action": "judge_again", "_selected_action": [str(row.pk)]},
        format="multipart",
    )
    run_jobs()

    told = slicing.get(created["Location"]).json()
    assert (told["status"], told["errors"]) == ("processed", None)
