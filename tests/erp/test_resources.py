"""What holds of the resources of every kind."""

import pytest


def test_resource_is_created_read_changed_and_deleted(erp, make, bureau):
    made = make("material", bureau=bureau["uri"], name="PA 12", density=1.01, cost="0.35")

    assert made["bureau"] == bureau["uri"]
    assert made["type"] == "base"
    assert made["cost"] == 0.35
    assert erp.put(made["uri"], {"color": "#ff8800", "cost": None}).status_code == 204
    read = erp.get(made["uri"]).json()
    assert (read["color"], read["cost"], read["name"]) == ("#ff8800", None, "PA 12")
    assert erp.put(made["uri"], read).status_code == 204
    assert erp.delete(made["uri"]).status_code == 204
    assert erp.get(made["uri"]).status_code == 404


def test_nested_object_of_columns_is_merged_on_change(erp, printer_type):
    assert printer_type["build_volume"] == {"x": 340, "y": 340, "z": 600}
    assert erp.put(printer_type["uri"], {"build_volume": {"z": 320}}).status_code == 204
    assert erp.get(printer_type["uri"]).json()["build_volume"] == {"x": 340, "y": 340, "z": 320}


@pytest.mark.parametrize("size", [0, -1, "wide", None])
def test_build_volume_must_be_positive(erp, bureau, size):
    volume = {"x": 100, "y": size, "z": 100}
    body = {"bureau": bureau["uri"], "name": "P", "build_volume": volume}

    answer = erp.post("/printer-type/", body)

    assert answer.status_code == 400
    assert [error["field"] for error in answer.json()["errors"]] == ["build_volume.y"]


def test_resource_in_use_cannot_be_deleted(erp, printer_type, printer):
    answer = erp.delete(printer_type["uri"])

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["details"]["used_by"]) == ("resource-in-use", [printer["uri"]])


def test_link_to_another_bureau_is_rejected(erp, make, bureau, printer_type, location):
    other = make("bureau", name="Others")
    foreign = make("location", bureau=other["uri"], name="Far")
    body = {"location": foreign["uri"], "printer_type": printer_type["uri"], "name": "P"}

    answer = erp.post("/printer/", body)

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("wrong-bureau", "printer_type")


def test_currency_can_be_converted_only_once_per_bureau(erp, make, bureau):
    first = make("currency-conversion", bureau=bureau["uri"], currency="USD", value=1.1)

    again = {"bureau": bureau["uri"], "currency": "usd", "value": 1.2}
    answer = erp.post("/currency-conversion/", again)

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"] == {"uri": first["uri"]}


def test_members_read_resources_of_the_bureau(client_of, make, bureau, printer, member):
    somebody = client_of("erp", member)

    assert somebody.get("/printer/").json()["resources"] == [printer]
    assert somebody.get(bureau["uri"]).json() == bureau


def test_strangers_can_neither_read_nor_change_resources(client_of, bureau, printer, stranger):
    somebody = client_of("erp", stranger)

    assert somebody.get("/printer/").json()["resources"] == []
    assert somebody.get(printer["uri"]).status_code == 404
    assert somebody.put(printer["uri"], {"name": "Mine"}).status_code == 404


def test_member_without_the_right_is_rejected_with_the_name_of_the_right(client_of, bureau, member):
    answer = client_of("erp", member).post("/manufacturer/", {"bureau": bureau["uri"]})

    assert answer.status_code == 403
    (error,) = answer.json()["errors"]
    assert error["code"] == "Unauthorized"
    assert "manufacturer.all" in error["title"]
