"""Models, over HTTP: created, uploaded, judged, pictured."""

import hashlib
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.warehouse.actors.analysis import analyse_model, expire_uploads
from apps.warehouse.models import Model
from apps.warehouse.serializers.model import ModelAnswer
from core.errors import ContentExists
from core.models import Blob, blob_name
from geometry.analysis import Analysis

pytestmark = pytest.mark.django_db


def test_created_model_has_an_upload_url_and_null_figures(models, person):
    answer = models.post("/model/", {"name": "bracket"})

    assert answer.status_code == 201
    model = answer.json()
    assert answer["Location"] == model["uri"]
    assert answer["X-Upload-Location"].startswith("http://files.platform.test/upload/model/")
    assert model == {
        "uri": model["uri"],
        "name": "bracket",
        "type": "stl",
        "status": "processing",
        "errors": None,
        "allowed_transformations": {"resize": False, "rotation": False},
        "unit": None,
        "transformations": None,
        "snapshot": None,
        "snapshot_content": None,
        "preview": None,
        "thumbnail": None,
        "thumbnail_content": None,
        "content": None,
        "analyses": dict.fromkeys([*Analysis._fields, "printability"]),
        "analyses.manifold": None,
        "size": {"x": None, "y": None, "z": None},
        "volume_mm": None,
        "surface_area_mm": None,
        "polygons": None,
        "file_size": None,
        "user_uri": person.uri,
        "parents": [],
        "children": [],
        "conversion": None,
        "source": None,
        "callback": None,
        "queue": None,
        "created": model["created"],
        "updated": model["updated"],
    }
    assert models.get(model["uri"]).json() == model


def test_uploaded_file_is_analysed_and_rendered(models, upload, queued, run_jobs, cube):
    model = models.post("/model/", {"name": "cube"}).json()

    upload(model, cube)
    assert [actor for actor, _ in queued()] == ["analyse_model"]
    assert run_jobs() == [
        "analyse_model",
        "render_snapshot",
        "assess_printability",
        "start_waiting_slices",
        "continue_operations",
        "continue_estimates",
        "use_replacement",
        "picture_packing",
        "describe_model",
    ]

    model = models.get(model["uri"]).json()
    assert (model["status"], model["polygons"]) == ("processed", 12)
    assert model["analyses.manifold"] is True
    assert model["size"] == {"x": 20.0, "y": 20.0, "z": 20.0}
    assert model["volume_mm"] == pytest.approx(8000)
    assert model["surface_area_mm"] == pytest.approx(2400)
    assert model["file_size"] == len(cube)
    assert model["snapshot"] == model["snapshot_content"] != model["thumbnail_content"]
    assert "?" in model["content"]
    (snapshot,) = models.get(model["uri"] + "snapshot/").json()["resources"]
    assert (snapshot["status"], snapshot["width"], snapshot["height"]) == ("processed", 800, 600)


def test_open_model_is_processed_and_not_manifold(models, upload, run_jobs, open_box):
    model = models.post("/model/", {"name": "box"}).json()

    upload(model, open_box)
    run_jobs()

    model = models.get(model["uri"]).json()
    assert (model["status"], model["analyses"]["manifold"], model["volume_mm"]) == (
        "processed",
        False,
        None,
    )


def test_upload_that_is_not_stl_fails_with_its_reason(models, upload, run_jobs):
    model = models.post("/model/", {"name": "picture"}).json()

    upload(model, b"\x89PNG\r\n\x1a\n" + bytes(500))
    run_jobs()

    model = models.get(model["uri"]).json()
    assert model["status"] == "error"
    (error,) = model["errors"]
    assert error["code"] == "not-stl"
    assert "PNG" in error["title"]


def test_repeated_upload_of_equal_bytes_is_accepted_and_others_rejected(
    models, upload, run_jobs, cube, open_box
):
    model = models.post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    upload(model, cube)

    with pytest.raises(ContentExists):
        upload(model, open_box)

    assert run_jobs().count("analyse_model") == 1
    assert Model.objects.get().file_size == len(cube)
    refused = hashlib.sha256(open_box).hexdigest()
    assert not default_storage.exists(blob_name(refused))


def test_equal_files_are_stored_analysed_and_rendered_once(
    models, upload, run_jobs, cube, monkeypatch
):
    first = models.post("/model/", {"name": "one"}).json()
    second = models.post("/model/", {"name": "two"}).json()
    upload(first, cube)
    run_jobs()
    blobs = Blob.objects.count()

    # From here on no child process may be asked.
    monkeypatch.setattr("core.sandbox.sandbox.Sandbox.run", None)
    upload(second, cube)
    run_jobs()

    one, two = models.get(first["uri"]).json(), models.get(second["uri"]).json()
    assert two["analyses"] == one["analyses"]
    assert two["snapshot"] is not None
    assert Blob.objects.count() == blobs


def test_duplicate_message_enqueues_one_rendering(models, upload, run_jobs, cube, queued):
    model = models.post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    uuid = queued()[0][1].strip('[]"')

    analyse_model.fn(uuid)
    analyse_model.fn(uuid)

    names = [name for name, _ in queued()]
    assert names.count("render_snapshot") == 1


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [
        ("obj", "model/obj"),
        ("ply", "application/octet-stream"),
        ("off", "application/octet-stream"),
        ("gltf", "model/gltf+json"),
        ("glb", "model/gltf-binary"),
        ("3mf", "model/3mf"),
        ("step", "model/step"),
        ("iges", "model/iges"),
        ("zip", "application/zip"),
        ("pdf", "application/pdf"),
    ],
)
def test_other_file_types_are_stored_as_inoperable(models, upload, run_jobs, kind, media_type):
    model = models.post("/model/", {"name": "drawing", "type": kind}).json()
    assert model["status"] == "inoperable"

    upload(model, b"%PDF-1.7 ...")

    assert run_jobs() == []
    model = models.get(model["uri"]).json()
    assert (model["status"], model["file_size"]) == ("inoperable", 12)
    asked = parse_qs(urlsplit(model["content"]).query)
    assert (asked["type"], asked["name"]) == ([media_type], [f"drawing.{kind}"])
    refused = models.post(model["uri"] + "snapshot/", {})
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (409, "model-not-ready")
    assert (model["preview"], model["thumbnail"]) == (None, None)


def test_model_without_upload_expires_with_an_error(models, run_jobs, upload, cube):
    model, other = (models.post("/model/", {"name": name}).json() for name in ("late", "there"))
    upload(other, cube)
    expire_uploads.fn()
    assert run_jobs().count("expire_upload") == 0  # not before its time

    Model.objects.update(created=timezone.now() - settings.UPLOAD_EXPIRY - timedelta(seconds=1))
    expire_uploads.fn()

    assert run_jobs().count("expire_upload") == 1
    assert models.get(other["uri"]).json()["status"] == "processed"
    model = models.get(model["uri"]).json()
    assert (model["status"], model["errors"][0]["code"]) == ("error", "upload-expired")


def test_stranger_can_neither_read_nor_change_a_model(models, client_of, stranger, operator):
    model = models.post("/model/", {"name": "secret"}).json()
    other = client_of("models", stranger)

    assert other.get(model["uri"]).status_code == 404
    assert other.put(model["uri"], {"name": "mine"}).status_code == 404
    assert other.delete(model["uri"]).status_code == 404
    assert other.get("/model/").json()["resources"] == []
    assert client_of("models", operator).get(model["uri"]).json()["name"] == "secret"
    assert client_of("models").get(model["uri"]).status_code == 401


def test_update_changes_only_the_given_fields(models):
    model = models.post(
        "/model/", {"name": "a", "allowed_transformations": {"rotation": True}}
    ).json()

    answer = models.put(model["uri"], {"allowed_transformations": {"resize": True}})

    assert answer.status_code == 204
    changed = models.get(model["uri"]).json()
    assert changed["name"] == "a"
    assert changed["allowed_transformations"] == {"resize": True, "rotation": True}


def test_deleted_model_is_hidden_from_its_owner(models):
    model = models.post("/model/", {"name": "a"}).json()

    assert models.delete(model["uri"]).status_code == 204

    assert models.get(model["uri"]).status_code == 404
    assert models.get("/model/").json()["meta"] == {"count": 0}


def test_model_list_pages_sorts_filters_and_searches(models):
    for name in ("gear 1", "gear 2", "bracket"):
        models.post("/model/", {"name": name})

    def names(query: str) -> list[str]:
        return [item["name"] for item in models.get(f"/model/?{query}").json()["resources"]]

    assert names("") == ["bracket", "gear 2", "gear 1"]
    assert names("sort=name") == ["bracket", "gear 1", "gear 2"]
    assert names("sort=-name") == ["gear 2", "gear 1", "bracket"]
    assert names("name=gear") == ["gear 2", "gear 1"]
    assert names("name=g*1") == ["gear 1"]
    assert names("name=%25") == []
    assert names("search[name]=BRACK") == ["bracket"]
    assert names("filter[name]=bracket,gear 1") == ["bracket", "gear 1"]
    assert names("filter[status]=processed") == []
    assert names("filter[created]>=2020-01-01") == ["bracket", "gear 2", "gear 1"]
    assert names("filter[created]<2020-01-01") == []
    assert names("status=processing&page[limit]=1") == ["bracket"]


def test_next_links_cover_the_whole_list_when_it_grows(models):
    for number in range(5):
        models.post("/model/", {"name": f"part {number}"})

    first = models.get("/model/?page[limit]=2").json()
    models.post("/model/", {"name": "newer"})
    second = models.get(first["links"]["next"]).json()
    third = models.get(second["links"]["next"]).json()

    pages = [[item["name"] for item in page["resources"]] for page in (first, second, third)]
    assert pages == [["part 4", "part 3"], ["part 2", "part 1"], ["part 0"]]
    assert first["links"]["prev"] is None
    assert third["links"]["next"] is None
    assert first["meta"] == second["meta"] == third["meta"] == {"count": 5}


def test_all_unknown_query_parameters_are_rejected_at_once(models):
    answer = models.get("/model/?filter[colour]=red&sort=size&page[limit]=0&q=1")

    assert answer.status_code == 400
    assert {error["field"] for error in answer.json()["errors"]} == {
        "filter[colour]",
        "sort",
        "page[limit]",
        "q",
    }


def test_model_reads_take_one_query_and_one_more_to_count(
    client_of, person, django_assert_num_queries
):
    models = client_of("models", person)
    made = [models.post("/model/", {"name": str(n)}).json() for n in range(3)]

    with django_assert_num_queries(1):
        models.get(made[0]["uri"])
    asked = {"": 1, "?page[limit]=2": 2, "?page[limit]=2&page[offset]=2": 1, "?page[offset]=4": 2}
    for query, queries in asked.items():
        with django_assert_num_queries(queries):
            assert models.get(f"/model/{query}").json()["meta"] == {"count": 3}


def test_idempotency_key_creates_one_model(models, queued):
    body = {"name": "once"}

    first = models.post("/model/", body, headers={"Idempotency-Key": "k1"})
    again = models.post("/model/", body, headers={"Idempotency-Key": "k1"})
    other = models.post("/model/", {"name": "twice"}, headers={"Idempotency-Key": "k1"})

    assert first.status_code == again.status_code == 201
    assert again["Idempotent-Replayed"] == "true"
    assert (again["Location"], again.json()) == (first["Location"], first.json())
    assert again["X-Upload-Location"] == first["X-Upload-Location"]
    assert other.status_code == 422
    assert Model.objects.count() == 1


def test_snapshot_is_rejected_when_the_model_is_not_analysed(models):
    model = models.post("/model/", {"name": "a"}).json()

    answer = models.post(model["uri"] + "snapshot/", {})

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "model-not-ready"


def test_snapshot_is_rendered_and_returns_its_view(models, upload, run_jobs, cube):
    model = models.post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    run_jobs()

    answer = models.post(
        model["uri"] + "snapshot/",
        {"width": 64, "samples": 0, "color": "#ff0000", "u": 0, "v": 1, "w": 0},
    )
    run_jobs()

    assert answer.status_code == 201
    snapshot = models.get(answer["Location"]).json()
    assert (snapshot["status"], snapshot["width"], snapshot["height"]) == ("processed", 64, 48)
    assert (snapshot["x"], snapshot["v"], snapshot["color"]) == (10.0, 1.0, "#ff0000")
    assert "?" in snapshot["content"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"samples": 5001}, "samples"),
        ({"height": 769}, "height"),
        ({"width": -1}, "width"),
        ({"color": "red"}, "color"),
        ({"layer": -1}, "layer"),
        ({"x": 1, "y": 2}, "z"),
        ({"u": 0, "v": 0, "w": 0}, "u"),
    ],
)
def test_snapshot_parameter_error_names_its_field(models, upload, run_jobs, cube, body, field):
    model = models.post("/model/", {"name": "cube"}).json()

    answer = models.post(model["uri"] + "snapshot/", body)

    assert answer.status_code == 400
    assert [error.get("field") for error in answer.json()["errors"]] == [field]


def test_model_response_has_every_documented_field(models):
    model = models.post("/model/", {"name": "a"}).json()

    documented = set(ModelAnswer.__annotations__)
    assert set(model) == documented


def test_models_are_filtered_by_analysis_figures(models, processed, cube, open_box, person):
    closed, opened = processed(cube)["uri"], processed(open_box)["uri"]
    waiting = models.post("/model/", {"name": "waits"}).json()["uri"]

    def found(query: str) -> set[str]:
        answer = models.get(f"/model/?{query}")
        assert answer.status_code == 200, answer.json()
        return {model["uri"] for model in answer.json()["resources"]}

    assert found("filter[analyses.manifold]=true") == {closed}
    assert found("filter[analyses.manifold]=false") == {opened}
    assert found("filter[volume_mm]>=8000&filter[volume_mm]<=8000") == {closed}
    assert found("filter[volume_mm]<=1e9") == {closed}  # of an open surface it is not known
    for axis in "xyz":
        assert found(f"filter[size.{axis}]>=20&filter[size.{axis}]<=20") == {closed, opened}
        assert found(f"filter[size.{axis}]<20") == set()
    assert found("") == {closed, opened, waiting}
