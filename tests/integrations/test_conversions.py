"""Files of other types: converted as they are uploaded, each object a model of its own."""

import json
import zipfile

import pytest
from django.test import Client

from apps.integrations.models import Operation
from tests.integrations.projects import PROJECT

CONVERSION = {"namespace": "integrations", "action": "file-conversion"}


def test_conversion_creates_a_child_model_per_object(project, models, integrations, split_file):
    before = models.get(project).json()
    assert (before["status"], before["conversion"]["status"]) == ("inoperable", "processing")
    assert before["conversion"]["models"] == []

    split_file(PROJECT)

    parent = models.get(project).json()
    pin, lid = (models.get(uri).json() for uri in parent["conversion"]["models"])
    assert parent["status"] == "inoperable"
    assert parent["conversion"]["status"] == "complete"
    assert parent["conversion"]["receipt"]["objects"] == 2
    assert parent["source"] is None
    assert [pin["name"], lid["name"]] == ["Pin", "Lid"]
    assert {pin["status"], lid["status"]} == {"processed"}
    assert pin["parents"] == lid["parents"] == [project]
    assert pin["volume_mm"] == pytest.approx(1000)
    assert pin["conversion"] is None
    source = pin["source"]
    assert len(source.pop("instances")) == 2
    assert source == {
        "file": None,
        "object": "2",
        "name": "Pin",
        "unit": "mm",
        "color": None,
        "material": None,
    }
    (operation,) = integrations.get("/operation/").json()["resources"]
    assert operation["uri"] == parent["conversion"]["operation"]
    assert operation["status"] == "complete"
    assert operation["results"] == pin["uri"]
    assert operation["outputs"]["models"] == [pin["uri"], lid["uri"]]


def test_conversion_keeps_the_original_file(project, models, split_file):
    before = models.get(project).json()

    split_file(PROJECT)

    after = models.get(project).json()
    changed = {name for name in after if after[name] != before[name]}
    assert changed <= {"conversion", "children", "updated", "content"}
    path = lambda told: told["content"].partition("?")[0]  # noqa: E731
    assert path(after) == path(before)


def test_completed_conversion_emits_model_event(models, upload, run_jobs, converter, split_file):
    model = models.post("/model/", {"name": "box.3mf", "type": "3mf"}).json()
    upload(model, PROJECT)
    run_jobs()

    split_file(PROJECT)

    (event,) = models.get(f"{model['uri']}events/").json()["resources"]
    children = models.get(model["uri"]).json()["conversion"]["models"]
    assert event["type"] == "model.inoperable"
    assert event["changes"]["conversion.status"] == "complete"
    assert event["changes"]["conversion.models"] == children


def test_failed_conversion_reports_its_error_and_can_be_retried(
    project, models, converter, run_jobs
):
    failure = {"title": "The file could not be read as 3MF.", "code": "Unreadable"}

    assert converter.report(status="error", outputs=failure).status_code == 204

    conversion = models.get(project).json()["conversion"]
    assert (conversion["status"], conversion["models"]) == ("error", [])
    assert conversion["errors"][0]["code"] == "Unreadable"
    assert models.put(project, {"convert": True}).status_code == 204
    assert models.get(project).json()["conversion"]["status"] == "processing"


def test_deleting_the_operation_fails_the_conversion(project, models, integrations):
    operation = models.get(project).json()["conversion"]["operation"]

    assert integrations.delete(operation).status_code == 204

    assert models.get(project).json()["conversion"]["status"] == "error"


def test_operation_deleted_after_its_report_keeps_no_upload(
    project, models, integrations, converter, run_jobs
):
    (operation,) = integrations.get("/operation/").json()["resources"]
    converter.upload(b"a zip")
    done = {"outputs": {"receipt": {}}, "result": {"name": "x", "type": "zip"}}
    assert converter.report(status="complete", **done).status_code == 204

    assert integrations.delete(operation["uri"]).status_code == 204
    run_jobs()

    row = Operation.objects.get()
    assert (row.status, row.upload_id) == ("error", None)


def test_conversion_waits_for_payment(
    converter, price, models, upload, run_jobs, client_of, operator, person, integrations
):
    price(2, **CONVERSION)
    model = models.post("/model/", {"name": "box.3mf", "type": "3mf"}).json()
    upload(model, PROJECT)
    run_jobs()

    conversion = models.get(model["uri"]).json()["conversion"]
    assert conversion["status"] == "payment-required"
    payment = client_of("payment", person)
    assert payment.get(conversion["payment_status"]).status_code == 200
    assert models.put(model["uri"], {"convert": True}).status_code == 402
    consent = {**CONVERSION, "consented": True, "user_uri": person.uri}
    assert payment.post("/consent/", consent).status_code == 201
    method = {"user_uri": person.uri, "type": "manual"}
    assert client_of("payment", operator).post("/payment-method/", method).status_code == 201

    assert models.put(model["uri"], {"convert": True}).status_code == 204

    assert models.get(model["uri"]).json()["conversion"]["status"] == "processing"
    (operation,) = integrations.get("/operation/").json()["resources"]
    assert operation["inputs"]["model"] == model["uri"]


def test_conversion_is_skipped_when_user_disables_it(
    converter, models, upload, run_jobs, client_of, person
):
    users = client_of("users", person)
    assert users.put(person.uri, {"convert_uploads": False}).status_code == 204
    model = models.post("/model/", {"name": "box.3mf", "type": "3mf"}).json()
    upload(model, PROJECT)
    run_jobs()

    assert models.get(model["uri"]).json()["conversion"] is None
    assert models.put(model["uri"], {"convert": True}).status_code == 204
    assert models.get(model["uri"]).json()["conversion"]["status"] == "processing"


def test_conversion_is_skipped_when_disabled_by_setting(
    converter, settings, models, upload, run_jobs
):
    settings.CONVERT_UPLOADS = False
    model = models.post("/model/", {"name": "box.3mf", "type": "3mf"}).json()
    upload(model, PROJECT)
    run_jobs()

    assert models.get(model["uri"]).json()["conversion"] is None


def test_stl_conversion_is_rejected(converter, models, upload, run_jobs, cube):
    model = models.post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    run_jobs()

    answer = models.put(model["uri"], {"convert": True})

    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (
        409,
        "model-not-convertible",
    )


def test_invalid_child_fails_alone_and_other_children_are_processed(
    project, models, converter, run_jobs, tmp_path, cube
):
    told = {
        "file": None, "object": None, "name": None, "unit": "mm", "color": None,
        "material": None, "instances": [],
    }  # fmt: skip
    with zipfile.ZipFile(tmp_path / "out", "w") as archive:
        archive.writestr("1.stl", b"no mesh")
        archive.writestr("2.stl", cube)
        entries = [{**told, "entry": f"{n}.stl"} for n in (1, 2)]
        archive.writestr("parts.json", json.dumps(entries))
    converter.upload((tmp_path / "out").read_bytes())
    converter.report(status="complete", outputs={"receipt": {}}, result={"type": "zip"})
    run_jobs()

    conversion = models.get(project).json()["conversion"]
    first, second = (models.get(uri).json() for uri in conversion["models"])
    assert conversion["status"] == "complete"
    assert [first["name"], second["name"]] == ["box.3mf 1", "box.3mf 2"]
    assert [first["status"], second["status"]] == ["error", "processed"]


def test_new_model_accepts_convert_without_a_file(models):
    form = "application/x-www-form-urlencoded"

    assert models.post("/model/", {"name": "box", "convert": True}).status_code == 201
    assert models.post("/model/", "name=box", content_type=form).status_code == 201


def test_admin_filters_models_by_conversion_and_origin(models, project, split_file, operator):
    split_file(PROJECT)
    pages = Client(SERVER_NAME="admin.platform.test")
    pages.post("/login/", {"username": "root", "password": "correct horse battery"})

    def listed(query: str) -> set[str]:
        page = pages.get(f"/warehouse/model/?{query}")
        return {str(row.pk) for row in page.context["cl"].result_list}

    file = project.split("/")[-2]
    children = {uri.split("/")[-2] for uri in models.get(project).json()["conversion"]["models"]}
    assert listed("conversion=complete") == listed("origin=uploaded") == {file}
    assert listed("conversion=error") == set()
    assert listed("origin=made") == children


def test_order_of_a_project_plate_creates_a_line_item_per_object(
    models, project, split_file, client_of, person
):
    split_file(PROJECT)
    erp = client_of("erp", person)
    bureau = erp.post("/bureau/", {"name": "Shop"}).json()["uri"]
    body = {"bureau": bureau, "model": project, "quantity": 3, "plate": 1, "name": "Set"}

    made = erp.post("/line-item/", body)

    assert made.status_code == 201, made.json()
    links = [link.partition(">")[0][1:] for link in made["Link"].split(", ")]
    items = [erp.get(uri).json() for uri in links]
    assert made["Location"] == links[0] == made.json()["uri"]
    assert [(item["name"], item["quantity"]) for item in items] == [
        ("Set: Pin", 6),
        ("Set: Lid", 3),
    ]
    children = models.get(project).json()["conversion"]["models"]
    assert [item["model"] for item in items] == children
    assert erp.get("/line-item/").json()["meta"]["count"] == 2

    for wrong, field in (
        ({"plate": 2}, "plate"),
        ({"model": children[0]}, "plate"),
        ({"quantity": 5001}, "quantity"),
        ({"model": None, "no_model_upload": True}, "model"),
    ):
        answer = erp.post("/line-item/", body | wrong)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field), wrong
    changed = erp.put(links[0], {"plate": 1})
    assert (changed.status_code, changed.json()["errors"][0]["field"]) == (400, "plate")
    assert erp.get("/line-item/").json()["meta"]["count"] == 2
