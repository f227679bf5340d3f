"""Repair and similar parts on the page of a part."""

import pytest

from apps.integrations.models import Operation
from tests.console.visitor import Browser, drop, main_of, order


@pytest.fixture
def service(client_of, operator) -> None:
    """A service that repairs meshes."""
    body = {"name": "Mender", "type": "model-healing", "service_url": "https://mender.example/"}
    assert client_of("integrations", operator).post("/service/", body).status_code == 201


@pytest.mark.usefixtures("service")
def test_open_mesh_is_repaired_once_from_its_page(ada, upload, open_box, run_jobs):
    path = drop(ada, "box")["Location"]
    upload({"uri": path}, open_box)
    run_jobs()
    assert "Repair mesh" in main_of(ada.get(path))

    answers = [ada.send(f"{path}repair/", key="one") for _ in range(2)]

    assert {answer["Location"] for answer in answers} == {f"{path}?done=repairing"}
    operation = Operation.objects.get()
    assert operation.model_uri.endswith(path)
    page = main_of(ada.get(path))
    assert "Repairing" in page
    assert "Repair mesh" not in page


@pytest.mark.usefixtures("service")
def test_failed_repair_says_why(ada, upload, open_box, run_jobs):
    path = drop(ada, "box")["Location"]
    upload({"uri": path}, open_box)
    run_jobs()
    ada.send(f"{path}repair/", key="one")
    outputs = {"title": "Too much would change.", "code": "VolumeChange"}
    Operation.objects.update(status="error", outputs=outputs)

    page = main_of(ada.get(path))

    assert "Too much would change." in page


def test_sound_mesh_has_no_repair_button(ada, part):
    assert "Repair mesh" not in main_of(ada.get(part))


def test_page_lists_parts_of_similar_shape(ada, part, upload, cube, run_jobs):
    twin = drop(ada, "twin")["Location"]
    upload({"uri": twin}, cube)
    run_jobs()

    page = ada.get(f"{part}similar/")

    assert f'href="{twin}"' in page.content.decode()
    assert "Same shape" in main_of(page)
    assert Browser().get(f"{part}similar/").status_code == 303


def test_new_part_of_the_same_shape_is_named_with_the_other(ada, part, upload, cube, run_jobs):
    twin = drop(ada, "twin")["Location"]
    upload({"uri": twin}, cube)
    run_jobs()

    page = ada.get(twin)

    assert f'Same shape as <a href="{part}"><bdi>cube</bdi></a>' in page.content.decode()
    assert main_of(ada.get("/model/")).count("Same shape as") == 1  # the newer one
    assert "Same shape as cube" in main_of(ada.get("/model/"))


def test_list_of_parts_counts_their_orders(ada, part, shop, run_jobs):
    assert "Ordered" not in main_of(ada.get("/model/"))
    for _ in range(2):
        assert order(ada, part).status_code == 303

    assert "Ordered 2 times" in main_of(ada.get("/model/"))
