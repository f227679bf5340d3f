"""Previews and thumbnails, over HTTP: made when they are first asked for."""

import io
import json

import pytest
from django.core.files.storage import default_storage
from django.test import Client
from PIL import Image

from apps.warehouse.actors.renditions import write_preview
from apps.warehouse.models import Rendition
from core.models import blob_name
from core.queue.row_jobs import fail_permanently
from tests.live.client import ball

pytestmark = pytest.mark.django_db


@pytest.fixture
def part(processed, cube) -> dict:
    return processed(cube)


def bytes_of(answer) -> bytes:
    """What lies at the location that was answered."""
    sha256 = answer.json()["content"].split("?")[0].rpartition("/")[2]
    return default_storage.open(blob_name(sha256)).read()


def test_first_request_creates_a_preview_and_later_ones_return_it(models, part, run_jobs):
    assert part["preview"] == part["uri"] + "preview/"

    first = models.get(part["preview"])
    assert first.status_code == 202
    assert first["Retry-After"] == "1"
    assert first.json() == {"status": "processing", "errors": None, "content": None}
    assert models.get(part["preview"]).status_code == 202
    assert run_jobs() == ["write_preview"]

    answer = models.get(part["preview"])
    assert answer.status_code == 200
    assert answer.json()["status"] == "processed"
    assert "type=model/gltf-binary&name=part.glb" in answer.json()["content"]
    assert bytes_of(answer)[:4] == b"glTF"


def test_thumbnail_is_rendered_at_256_by_192(models, part, run_jobs):
    assert models.get(part["thumbnail"]).status_code == 202
    assert run_jobs() == ["draw_thumbnail"]

    answer = models.get(part["thumbnail"])

    assert "name=part.png" in answer.json()["content"]
    assert Image.open(io.BytesIO(bytes_of(answer))).size == (256, 192)


def test_equal_models_share_one_preview(models, processed, part, cube, run_jobs):
    models.get(part["preview"])
    run_jobs()
    twin = processed(cube)

    assert models.get(twin["preview"]).status_code == 200
    assert Rendition.objects.count() == 1


def test_preview_respects_the_requested_triangle_count(models, processed, run_jobs):
    part = processed(ball(24))  # of 4,418 triangles
    counts = {}
    for most in (500, 2_000, 10_000, 50_000, 500_000):
        models.get(f"{part['preview']}?triangles={most}")
    run_jobs()

    for most in (500, 2_000, 10_000, 50_000, 500_000):
        content = bytes_of(models.get(f"{part['preview']}?triangles={most}"))
        counts[most] = triangles_in(content)

    assert 400 < counts.pop(500) <= 500
    assert 1_500 < counts.pop(2_000) <= 2_000
    assert set(counts.values()) == {part["polygons"]}


def triangles_in(glb: bytes) -> int:
    length = int.from_bytes(glb[12:16], "little")
    document = json.loads(glb[20 : 20 + length])
    (primitive,) = document["meshes"][0]["primitives"]
    return document["accessors"][primitive["indices"]]["count"] // 3


def test_default_preview_is_shared_with_its_explicit_triangle_count(models, part, run_jobs):
    models.get(part["preview"])
    run_jobs()

    assert models.get(f"{part['preview']}?triangles=50000").status_code == 200
    assert Rendition.objects.count() == 1


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("triangles=499", "property-value-not-in-allowed-values"),
        ("triangles=0500", "property-value-not-in-allowed-values"),
        ("triangles=many", "property-value-not-in-allowed-values"),
        ("triangles=", "missing-parameter"),
        ("corners=3", "request-validation-error"),
    ],
)
def test_invalid_preview_size_is_rejected(models, part, asked, code):
    refused = models.get(f"{part['preview']}?{asked}")

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, code)
    assert Rendition.objects.count() == 0


@pytest.mark.parametrize(
    ("form", "code"), [("preview", "no-triangles"), ("thumbnail", "nothing-to-show")]
)
def test_rendition_of_a_degenerate_model_fails_with_its_reason(
    models, processed, point, run_jobs, form, code
):
    model = processed(point)
    models.get(model[form])
    run_jobs()

    answer = models.get(model[form])

    assert answer.status_code == 200
    told = answer.json()
    assert (told["status"], told["content"]) == ("error", None)
    assert told["errors"][0]["code"] == code


def test_preview_reports_the_error_when_its_job_fails_permanently(models, part):
    models.get(part["preview"])
    message = write_preview.message(Rendition.objects.get().key).asdict()

    fail_permanently("write_preview", message["args"][0], {"reason": "worker-died", "starts": 3})

    assert models.get(part["preview"]).json()["errors"][0]["code"] == "worker-died"


def test_admin_retries_a_failed_preview(models, part, operator, run_jobs):
    models.get(part["preview"])
    Rendition.objects.update(status=Rendition.Status.ERROR)
    pages = Client(SERVER_NAME="admin.platform.test")
    pages.post("/login/", {"username": "root", "password": "correct horse battery"})
    chosen = {"action": "make_again", "_selected_action": [Rendition.objects.get().pk]}

    page = pages.post("/warehouse/rendition/", chosen, follow=True)

    assert "1 will be made again." in page.content.decode()
    run_jobs()
    assert models.get(part["preview"]).status_code == 202
    run_jobs()
    assert models.get(part["preview"]).status_code == 200


def test_renditions_are_hidden_from_users_without_the_read_right(others, client_of, part):
    for form in ("preview", "thumbnail"):
        assert others.get(part[form]).status_code == 404
        assert client_of("models").get(part[form]).status_code == 401
    assert Rendition.objects.count() == 0


def test_model_without_analysis_has_no_preview(models):
    model = models.post("/model/", {"name": "a"}).json()

    answer = models.get(model["uri"] + "preview/")

    assert (answer.status_code, model["preview"]) == (409, None)
    assert answer.json()["errors"][0]["code"] == "model-not-ready"


def test_openapi_document_lists_both_preview_responses(client_of):
    document = json.loads(client_of("models").get("/openapi.json").content)

    responses = document["paths"]["/model/{model}/preview/"]["get"]["responses"]

    assert {"200", "202", "409", "default"} <= set(responses)


@pytest.mark.parametrize(("format", "begins"), [("3mf", b"PK"), ("glb", b"glTF")])
def test_model_content_is_converted_to_another_format(
    models, processed, part, cube, run_jobs, format, begins
):
    path = f"{part['uri']}content/?format={format}"
    assert models.get(path).status_code == 202
    assert models.get(path)["Retry-After"] == "1"
    assert run_jobs() == ["write_in_format"]

    answer = models.get(path)

    assert answer.status_code == 200
    assert f"name=part.{format}" in answer.json()["content"]
    assert bytes_of(answer).startswith(begins)
    twin = processed(cube)
    assert models.get(f"{twin['uri']}content/?format={format}").status_code == 200


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ("", "missing-parameter"),
        ("?format=", "missing-parameter"),
        ("?format=stl", "property-value-not-in-allowed-values"),
        ("?format=preview", "property-value-not-in-allowed-values"),
        ("?format=glb&triangles=500", "request-validation-error"),
    ],
)
def test_unsupported_content_format_is_rejected(models, part, asked, code):
    refused = models.get(f"{part['uri']}content/{asked}")

    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (400, code)
    assert Rendition.objects.count() == 0


def test_model_without_analysis_is_not_converted(models, others):
    made = models.post("/model/", {"name": "part"}).json()

    assert models.get(f"{made['uri']}content/?format=glb").status_code == 409
    assert others.get(f"{made['uri']}content/?format=glb").status_code == 404
