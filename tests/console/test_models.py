"""The pages of models: what they ask, say and refuse."""

import re
from uuid import uuid4

from apps.warehouse.models import Snapshot
from tests.console.visitor import PASSWORD, Browser, drop, text_of


def test_anonymous_user_is_redirected_to_sign_in(browser):
    path = f"/model/{uuid4()}/"

    assert browser.get(path)["Location"] == f"/sign-in/?next={path.replace('/', '%2F')}"


def test_resubmitted_model_form_creates_one_model(ada):
    key = str(uuid4())

    first, second = drop(ada, key=key), drop(ada, key=key)

    assert first["Location"] == second["Location"]
    assert "1 part " in text_of(ada.get("/model/"))


def test_changed_model_form_creates_another_model(ada):
    key = str(uuid4())

    first, second = drop(ada, "lid", key=key), drop(ada, "box", key=key)

    assert first.status_code == second.status_code == 303
    assert first["Location"] != second["Location"]


def test_model_form_without_name_is_shown_again(ada):
    refused = drop(ada, "")

    assert refused.status_code == 400
    assert 'aria-invalid="true"' in refused.content.decode()


def test_uploaded_file_shows_its_analysis(ada, client_of, person, upload, cube, run_jobs):
    path = drop(ada, "a <b>cube</b>")["Location"]
    page = ada.get(path).content.decode()
    location = re.search(r'action="(http://files[^"]+)" data-upload', page)[1]
    assert f"then=http%3A%2F%2Fplatform.test{path.replace('/', '%2F')}" in location

    upload({"uri": path}, cube)
    assert "Analysing…" in text_of(ada.get(path))
    run_jobs()
    page = ada.get(path)

    assert "Watertight mesh: ready to print." in text_of(page)
    assert "20.0 × 20.0 × 20.0 mm" in text_of(page)
    assert "a &lt;b&gt;cube&lt;/b&gt;" in page.content.decode()
    assert "data-upload" not in page.content.decode()
    assert '<img src="http://files.platform.test/content/' in page.content.decode()


def test_model_errors_are_shown_in_plain_language(ada, upload, open_box, run_jobs):
    path, broken = drop(ada)["Location"], drop(ada, "broken")["Location"]
    upload({"uri": path}, open_box)
    upload({"uri": broken}, b"solid nothing\nendsolid nothing\n")
    run_jobs()

    assert "The mesh is not watertight. 1 hole " in text_of(ada.get(path))
    page = text_of(ada.get(broken))
    assert "Invalid file." in page
    assert "Re-export the part" in page
    assert f"{broken}slice/" not in ada.get(broken).content.decode()


def test_model_is_renamed_and_deleted(ada):
    path = drop(ada)["Location"]
    assert ada.send(f"{path}rename/", name="lid")["Location"] == f"{path}?done=renamed"
    assert "<h1><bdi>lid</bdi></h1>" in ada.get(path).content.decode()
    assert ada.send(f"{path}rename/", name="").status_code == 400

    assert "Delete lid ?" in text_of(ada.get(f"{path}delete/"))
    assert ada.send(f"{path}delete/")["Location"] == "/model/?done=deleted"

    assert ada.get(path).status_code == 404


def test_strangers_can_neither_see_nor_change_a_model(ada, stranger):
    path = drop(ada)["Location"]
    bob = Browser()
    bob.send("/sign-in/", username="bob", password=PASSWORD)

    for answer in (
        bob.get(path),
        bob.get(f"{path}delete/"),
        bob.get(f"{path}slice/"),
        bob.send(f"{path}rename/", name="mine"),
        bob.send(f"{path}delete/"),
        bob.send(f"{path}scale/"),
    ):
        assert answer.status_code == 404
    assert "No parts yet" in text_of(bob.get("/model/"))


def test_administrator_gets_no_upload_url_of_a_foreign_model(ada, operator):
    path = drop(ada)["Location"]
    other = Browser()
    other.send("/sign-in/", username="root", password=PASSWORD)

    page = other.get(path)

    assert page.status_code == 200
    assert "/upload/" not in page.content.decode()


def test_model_in_inches_is_scaled_to_millimetres(ada, upload, cube, run_jobs):
    import numpy as np

    from tests.conftest import CORNERS, SIDES, binary_stl

    path = drop(ada)["Location"]
    upload({"uri": path}, binary_stl(CORNERS[SIDES].astype(np.float32)))
    run_jobs()
    assert "the unit is probably inches" in text_of(ada.get(path))

    made = ada.send(f"{path}scale/", key=str(uuid4()))["Location"]
    run_jobs()

    assert "25.4 × 25.4 × 25.4 mm" in text_of(ada.get(made))


def test_model_list_query_count_is_independent_of_row_count(ada, api_requests):
    counts = []
    for more in (2, 20):
        for _ in range(more):
            drop(ada)
        api_requests.clear()
        assert ada.get("/model/").status_code == 200
        counts.append(len(api_requests))

    assert counts == [9, 9]


def test_model_list_is_paginated_and_searchable(ada):
    for number in range(25):
        drop(ada, f"part {number}")

    first = ada.get("/model/")
    older = re.search(r'href="(\?[^"]+)">Older', first.content.decode())[1].replace("&amp;", "&")
    second = text_of(ada.get(f"/model/{older}"))

    assert "25 parts" in text_of(first)
    assert "part 0 " in second
    assert "part 1 " not in second
    assert "part 7 " in text_of(ada.get("/model/?search%5Bname%5D=part+7"))


def test_viewer_is_redirected_to_the_preview_mesh(ada, part, run_jobs):
    address = f"{part}preview/?triangles=500"
    view = f'<part-view src="{part}preview/" around="{part}around/">'
    assert view in ada.get(part).content.decode()

    first = ada.get(address)
    assert (first.status_code, first["Retry-After"]) == (202, "1")
    run_jobs()

    assert "files.platform.test/content/" in ada.get(address)["Location"]
    assert ada.get(f"{part}preview/?triangles=7").status_code == 400
    assert Browser().get(address)["Location"].startswith("/sign-in/")


def test_turntable_snapshots_are_rendered_when_webgl_is_unavailable(ada, part, run_jobs):
    first = ada.send(f"{part}around/")
    assert (first.status_code, first["Retry-After"]) == (202, "2")
    run_jobs()

    found = ada.send(f"{part}around/").json()["pictures"]

    assert len(found) == len(set(found)) == 8
    assert ada.send(f"{part}around/").json()["pictures"] == found
    assert Snapshot.objects.filter(is_default=False).count() == 8
    assert Browser().send(f"{part}around/")["Location"].startswith("/sign-in/")


def test_viewer_gets_409_for_a_model_without_a_mesh(ada, upload, point, run_jobs):
    path = drop(ada, "nothing")["Location"]
    upload({"uri": path}, point)
    run_jobs()
    ada.get(f"{path}preview/")
    run_jobs()

    assert ada.get(f"{path}preview/").status_code == 409


def test_measured_location_of_a_finding_has_a_pin(ada, part):
    page = ada.get(part).content.decode()

    pins = re.findall(r'class="pin" data-at="([^"]+)" data-mark="(\d)"', page)
    ((place, number),) = pins
    assert number == "1"
    assert sum(abs(float(x)) in (0, 20) for x in place.split(",")) == 1  # on a side of the cube
