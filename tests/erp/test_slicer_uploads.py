"""Files that slicers send: by the requests of PrusaSlicer, OrcaSlicer and Cura, to queued runs."""

import io
import zipfile
from datetime import timedelta

import orjson
import pytest
from django.utils import timezone

from apps.erp.actors import prune_received_files
from apps.erp.models import ReceivedFile, Run
from apps.erp.printing.services import slicer_uploads as service
from apps.users.models import User
from apps.warehouse.models import Model
from core.uris import base_url
from files_host.slicer_host import slicer_uploads
from tests.files_host import FORM, ask, form, stored
from tests.gcode.slicer_files import FILES

GCODE = FILES["PrusaSlicer"][1]
AGENT = {"User-Agent": "PrusaSlicer/2.9.2"}


@pytest.fixture
def mk4(make, bureau) -> dict:
    volume = {"x": 250, "y": 210, "z": 220}
    return make("printer-type", bureau=bureau["uri"], name="Prusa MK4", build_volume=volume)


@pytest.fixture
def key(make, bureau) -> dict:
    return make("slicer-key", bureau=bureau["uri"], name="PrusaSlicer on Ada's computer")


@pytest.fixture
def secret(erp, key) -> str:
    answer = erp.post(f"{key['uri']}secret/")
    assert answer.status_code == 201
    assert answer.json()["host"] == base_url("print")
    return answer.json()["secret"]


@pytest.fixture
def send(files_host, secret):
    """`send("GET", "/api/version")`: a request of a slicer with the key."""

    def request(method: str, path: str, body: bytes | None = None, **headers):
        own = {"X-Api-Key": secret, **AGENT, **{k.replace("_", "-"): v for k, v in headers.items()}}
        return _ask(method, path, own, body)

    return request


def _ask(method, path, headers, body=None):
    return ask(method, path, headers, body, application=slicer_uploads)


@pytest.fixture
def post(send):
    """`post("part.gcode", b"...", print="true")`: OctoPrint's upload, fields before the file."""

    def upload(name: str, content: bytes, **fields: str):
        fields = {"path": "", **fields}
        parts = [(f'name="{field}"', value.encode()) for field, value in fields.items()]
        body = form(*parts, (f'name="file"; filename="{name}"', content))
        return send("POST", "/api/files/local", body, **{"Content_Type": FORM["Content-Type"]})

    return upload


@pytest.fixture
def received(erp, run_jobs):
    """`received()`: what the list of received files shows once all is analysed, oldest first."""

    def read() -> list[dict]:
        run_jobs()
        return erp.get("/received-file/?sort=created").json()["resources"]

    return read


def test_slicers_test_their_connection(send, bureau, erp, key):
    version = orjson.loads(send("GET", "/api/version").body)
    assert version["api"]
    assert version["text"].startswith("OctoPrint")
    assert version["capabilities"] == {"upload-by-put": True}

    storage = orjson.loads(send("GET", "/api/v1/storage").body)
    assert next(iter(storage)) == "storage_list"
    (local,) = storage["storage_list"]
    assert (local["path"], local["read_only"], local["available"]) == ("/local", False, True)
    assert local["free_space"] > 0
    assert orjson.loads(send("GET", "/api/v1/info").body)["name"] == bureau["name"]
    for path in ("/api/v1/status", "/api/settings", "/api/printer", "/api/job"):
        assert send("GET", path).status == 200, path
    assert erp.get(key["uri"]).json()["last_used"]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Api-Key": "SECRET"},
        {"Authorization": "Bearer SECRET"},
        {"Authorization": "Basic YW55Om9uZQ=="},
        {},
    ],
)
def test_key_is_read_from_each_header_and_no_other_is_accepted(files_host, secret, headers):
    good = {name: value.replace("SECRET", secret) for name, value in headers.items()}
    status = 200 if good != headers else 401
    assert _ask("GET", "/api/version", good).status == status
    wrong = _ask("GET", "/api/version", {n: v.replace("SECRET", "x") for n, v in headers.items()})
    assert wrong.status == 401
    assert wrong.headers["content-type"].startswith("text/plain")
    assert wrong.body.startswith(b"The API key is not valid: create one")


def test_entries_are_deleted_90_days_after_they_are_settled(post, received, mk4, cube):
    for name in ("old.stl", "new.stl", "waiting.gcode"):
        content = GCODE if name.endswith("gcode") else cube
        assert post(name, content).status == 201
    received()
    rows = ReceivedFile.objects.exclude(name="new.stl")
    rows.update(updated=timezone.now() - timedelta(days=91))

    prune_received_files()

    assert {row["name"] for row in received()} == {"new.stl", "waiting.gcode"}
    assert Model.objects.filter(name="old.stl").exists()


def test_sent_gcode_waits_for_a_person(erp, key, bureau, post, received, mk4):
    answer = post("bracket.gcode", GCODE, print="false")

    assert answer.status == 201, answer.body
    assert orjson.loads(answer.body)["files"]["local"]["name"] == "bracket.gcode"
    (row,) = received()
    assert (row["name"], row["status"], row["errors"]) == ("bracket.gcode", "waiting", None)
    assert (row["print_requested"], row["run"], row["model"]) == (False, None, None)
    assert (row["slicer"], row["slicer_key"]) == ("PrusaSlicer/2.9.2", key["uri"])
    run = erp.post("/create-gcode-run/", {"gcode": row["gcode"], "printer_type": mk4["uri"]})
    assert run.status_code == 201
    assert [(row["status"], row["run"]) for row in received()] == [("done", run.json()["uri"])]


def test_print_after_upload_queues_a_run_with_the_pieces_of_its_objects(
    erp, post, received, mk4, confirm, pieces_of
):
    item = confirm(quantity=2)
    erp.put(item["uri"], {"name": "Bracket"})

    post("bracket.gcode", GCODE, print="true")

    (row,) = received()
    assert row["status"] == "done", row
    run = erp.get(row["run"]).json()
    assert (run["status"], run["printer_type"]) == ("queued", mk4["uri"])
    assert run["pieces"] == [piece["uri"] for piece in pieces_of(item)]
    assert {piece["status"] for piece in pieces_of(item)} == {"queued"}


def test_pieces_of_two_orders_with_the_same_name_are_left_to_a_person(
    erp, post, received, mk4, confirm
):
    for _ in range(2):
        erp.put(confirm(quantity=2)["uri"], {"name": "Bracket"})

    post("bracket.gcode", GCODE, print="true")

    (row,) = received()
    assert erp.get(row["run"]).json()["pieces"] == []


@pytest.mark.parametrize("name", ["Other printer", "Prusa MK4", "MK4 again"])
def test_print_of_gcode_without_one_printer_type_waits(make, bureau, post, received, name):
    volume = {"x": 250, "y": 210, "z": 220}
    for each in {name, "MK4 again"} - ({"MK4 again"} if name == "Other printer" else set()):
        make("printer-type", bureau=bureau["uri"], name=each, build_volume=volume)

    post("bracket.gcode", GCODE, print="true")

    (row,) = received()
    unique = name == "MK4 again"
    assert row["status"] == ("done" if unique else "waiting")
    assert [error["code"] for error in row["errors"] or []] == (
        [] if unique else ["no-printer-type"]
    )
    assert Run.objects.count() == int(unique)


def test_printer_type_of_the_key_is_that_of_gcode_that_names_none(
    erp, key, post, received, printer_type
):
    assert erp.put(key["uri"], {"printer_type": printer_type["uri"]}).status_code == 204

    post("idea.gcode", FILES["ideaMaker"][1], print="true")

    (row,) = received()
    assert erp.get(row["run"]).json()["printer_type"] == printer_type["uri"]


@pytest.mark.parametrize("wanted", ["?1", "?0", None])
def test_file_of_prusalinks_put_is_received(send, received, mk4, wanted):
    headers = {"Content_Type": "text/x.gcode", "Overwrite": "?1"}
    headers |= {"Print_After_Upload": wanted} if wanted else {}

    answer = send("PUT", "/api/v1/files/local/two%20brackets.gcode", GCODE, **headers)

    assert answer.status == 201
    (row,) = received()
    assert (row["name"], row["print_requested"]) == ("two brackets.gcode", wanted == "?1")
    assert row["status"] == ("done" if wanted == "?1" else "waiting")


def test_plates_of_a_file_are_received_each(post, received, client_of, member):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in (1, 2):
            archive.writestr(f"Metadata/plate_{number}.gcode", GCODE)

    post("two.gcode.3mf", content.getvalue())

    rows = received()
    assert [row["status"] for row in rows] == ["waiting", "waiting"]
    slicing = client_of("slicing", member)
    assert [slicing.get(row["gcode"]).json()["plate"] for row in rows] == [1, 2]


def test_models_go_to_the_library(post, received, client_of, member, cube):
    assert post("cube.stl", cube).status == 201

    (row,) = received()
    assert (row["status"], row["gcode"]) == ("done", None)
    model = client_of("models", member).get(row["model"]).json()
    assert (model["name"], model["type"], model["status"]) == ("cube.stl", "stl", "processed")


def test_gcode_that_cannot_be_read_is_in_error_with_the_reason(post, received):
    post("broken.gcode", b"; nothing\n", print="true")

    (row,) = received()
    assert row["status"] == "error"
    assert [error["code"] for error in row["errors"]] == ["no-commands"]


@pytest.mark.parametrize("name", ["notes.txt", "gcode", "", "a.gcode.exe"])
def test_other_files_are_refused_before_they_are_stored(post, name):
    answer = post(name, GCODE)

    assert answer.status in (400, 415)
    assert ReceivedFile.objects.count() == 0
    assert stored() == []


def test_refusals_are_plain_sentences(send, settings):
    settings.MAX_UPLOAD = 1000
    large = send("PUT", "/api/v1/files/local/a.gcode", GCODE)
    assert (large.status, large.body) == (413, b"A file has at most 1000 bytes.\n")
    assert send("GET", "/api/elsewhere").status == 404
    assert send("DELETE", "/api/files/local/a.gcode").status == 404
    no_form = send("POST", "/api/files/local", b"x", Content_Type="text/plain")
    assert no_form.status == 415


def test_quota_of_the_account_is_that_of_uploads(send, settings):
    settings.LIMITS = settings.LIMITS | {"bytes": 10}

    answer = send("PUT", "/api/v1/files/local/a.gcode", GCODE)

    assert (answer.status, b"make room" in answer.body) == (409, True)
    assert ReceivedFile.objects.count() == 0


def test_key_ends_with_its_secret_its_membership_and_its_account(
    client_of, make, member, bureau, erp, files_host
):
    bob = client_of("erp", member)
    key = make("slicer-key", client=bob, bureau=bureau["uri"], name="Bob's")
    assert erp.post(f"{key['uri']}secret/").status_code == 403

    secrets = [bob.post(f"{key['uri']}secret/").json()["secret"] for _ in range(2)]
    status = [_ask("GET", "/api/version", {"X-Api-Key": one}).status for one in secrets]
    assert status == [401, 200]

    User.objects.filter(pk=member.pk).update(is_active=False)
    assert _ask("GET", "/api/version", {"X-Api-Key": secrets[1]}).status == 401
    User.objects.filter(pk=member.pk).update(is_active=True)
    (membership,) = erp.get(f"/membership-bureau/?filter[user]={member.uri}").json()["resources"]
    assert erp.delete(membership["uri"]).status_code == 204
    assert _ask("GET", "/api/version", {"X-Api-Key": secrets[1]}).status == 401


def test_strangers_see_neither_keys_nor_files(client_of, stranger, bureau, key, post, received):
    post("bracket.gcode", GCODE)
    (row,) = received()
    other = client_of("erp", stranger)

    for uri in (key["uri"], row["uri"]):
        assert other.get(uri).status_code == 404
        assert other.delete(uri).status_code == 404
    assert other.post(f"{key['uri']}secret/").status_code == 404
    body = {"bureau": bureau["uri"], "name": "Mine"}
    assert other.post("/slicer-key/", body).status_code == 403


def test_bureau_has_a_limited_number_of_keys(erp, bureau, key, monkeypatch):
    monkeypatch.setattr(service, "MAX_KEYS", 1)

    answer = erp.post("/slicer-key/", {"bureau": bureau["uri"], "name": "Second"})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "limit-exceeded"
    assert erp.delete(key["uri"]).status_code == 204
