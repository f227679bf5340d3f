"""Line items: what they need, what their product gives, what confirming settles."""

import pytest


def errors_of(answer) -> list[tuple[str, str | None]]:
    return [(error["code"], error.get("field")) for error in answer.json()["errors"]]


@pytest.fixture
def order(make, bureau) -> dict:
    return make("order", bureau=bureau["uri"], name="Nr. 1")


@pytest.fixture
def library(make, bureau, cube_model, priced) -> dict:
    """A cube that is made again and again."""
    return make(
        "model-library",
        bureau=bureau["uri"],
        name="Cube",
        model=cube_model["uri"],
        material=priced["materials"]["base"],
        workflow=priced["workflow"],
    )


@pytest.fixture
def product(make, order, library) -> dict:
    return make("product", order=order["uri"], model_library=library["uri"])


def test_line_item_representation_has_all_fields(make, bureau, order, cube_model, priced):
    made = make(
        "line-item",
        bureau=bureau["uri"],
        order=order["uri"],
        model=cube_model["uri"],
        quantity=3,
        layer_thickness=0.2,
        orientation="upright",
        custom_field_values=[{"name": "colour", "value": "red"}],
        priority=2,
        **priced,
    )

    told = {name: value for name, value in made.items() if name not in ("created", "updated")}
    assert told == {
        "uri": made["uri"],
        "bureau": bureau["uri"],
        "order": order["uri"],
        "product": None,
        "model": cube_model["uri"],
        "no_model_upload": False,
        "name": "cube",
        "status": "new",
        "moves": ["cancelled"],
        "quantity": 3,
        "materials": priced["materials"],
        "workflow": priced["workflow"],
        "layer_thickness": 0.2,
        "orientation": "upright",
        "config": None,
        "support_strategy": None,
        "infill_strategy": None,
        "custom_field_values": [{"name": "colour", "value": "red"}],
        "itar": None,
        "customer_id": None,
        "priority": 2,
        "position": None,
        "hold": False,
        "notes": None,
        "estimates": None,
        "slice": None,
        "errors": None,
        "price": None,
        "review": None,
        "manual_price": None,
        "snapshot": None,
    }


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ({"quantity": None}, "type-validation-error", "quantity"),
        ({"quantity": 0}, "property-value-not-in-allowed-values", "quantity"),
        ({"quantity": 10_001}, "property-value-not-in-allowed-values", "quantity"),
        ({"quantity": 1.5}, "type-validation-error", "quantity"),
        ({"quantity": "2"}, "type-validation-error", "quantity"),
        ({"layer_thickness": 0}, "property-value-not-in-allowed-values", "layer_thickness"),
        ({"orientation": "sideways"}, "property-value-not-in-allowed-values", "orientation"),
        ({"model": None}, "missing-parameter", "model"),
        ({"model": "https://elsewhere.example/model/1/"}, "resource-not-found", "model"),
        ({"status": "confirmed"}, "property-value-not-in-allowed-values", "status"),
        ({"quantety": 1}, "request-validation-error", "quantety"),
    ],
)
def test_invalid_field_of_a_line_item_is_named(erp, bureau, cube_model, fields, code, field):
    body = {"bureau": bureau["uri"], "model": cube_model["uri"], "quantity": 1, **fields}

    answer = erp.post("/line-item/", body)

    assert (answer.status_code, errors_of(answer)) == (400, [(code, field)])


def test_line_item_requires_bureau_and_quantity(erp):
    answer = erp.post("/line-item/", {"name": "part"})

    assert sorted(errors_of(answer)) == [
        ("missing-parameter", "bureau"),
        ("missing-parameter", "quantity"),
    ]


def test_line_item_rejects_a_model_the_user_cannot_read(erp, bureau, client_of, stranger):
    model = client_of("models", stranger).post("/model/", {"name": "secret"}).json()

    body = {"bureau": bureau["uri"], "quantity": 1, "model": model["uri"]}
    answer = erp.post("/line-item/", body)

    assert errors_of(answer) == [("resource-not-found", "model")]


def test_line_item_may_have_no_model(make, bureau):
    made = make("line-item", bureau=bureau["uri"], quantity=1, no_model_upload=True)

    assert (made["model"], made["product"]) == (None, None)


def test_product_supplies_model_order_material_and_workflow(make, bureau, product, library):
    made = make("line-item", bureau=bureau["uri"], quantity=1, product=product["uri"])

    assert made["model"] == library["model"]
    assert made["order"] == product["order"]
    assert made["materials"]["base"] == library["material"]
    assert made["workflow"] == library["workflow"]


def test_material_and_workflow_of_line_item_override_those_of_product(make, bureau, product):
    other = make("material", bureau=bureau["uri"], name="PA 11")

    made = make(
        "line-item",
        bureau=bureau["uri"],
        quantity=1,
        product=product["uri"],
        materials={"base": other["uri"]},
        workflow=None,
    )

    assert (made["materials"]["base"], made["workflow"]) == (other["uri"], None)


def test_order_of_line_item_must_match_that_of_its_product(erp, make, bureau, product, cube_model):
    order = make("order", bureau=bureau["uri"], name="Nr. 2")
    body = {"bureau": bureau["uri"], "quantity": 1, "product": product["uri"]}

    answer = erp.post("/line-item/", {**body, "order": order["uri"]})

    assert errors_of(answer) == [("property-value-not-in-allowed-values", "order")]
    assert erp.post("/line-item/", {**body, "model": cube_model["uri"]}).status_code == 201


def test_links_of_a_line_item_must_belong_to_its_bureau(erp, make, bureau):
    other = make("bureau", name="Others")
    order = make("order", bureau=other["uri"], name="Theirs")
    material = make("material", bureau=other["uri"], name="PLA")
    links = {"order": order["uri"], "materials": {"base": material["uri"]}}

    body = {"bureau": bureau["uri"], "quantity": 1, "no_model_upload": True, **links}
    answer = erp.post("/line-item/", body)

    assert answer.status_code == 400
    assert sorted(errors_of(answer)) == [
        ("wrong-bureau", "materials.base"),
        ("wrong-bureau", "order"),
    ]


def test_line_item_shares_model_and_config_with_bureau_members(
    client_of, make, bureau, member, cube_model, config
):
    readers = client_of("models", member), client_of("slicing", member)
    assert [
        reader.get(found["uri"]).status_code
        for reader, found in zip(readers, (cube_model, config), strict=True)
    ] == [404, 404]

    make(
        "line-item",
        bureau=bureau["uri"],
        quantity=1,
        model=cube_model["uri"],
        config=config["uri"],
    )

    models, slicing = readers
    assert models.get(cube_model["uri"]).status_code == 200
    assert slicing.get(config["uri"]).status_code == 200


def test_line_item_and_list_include_the_model_snapshot(
    client_of, person, erp, make, bureau, upload, run_jobs, cube
):
    model = client_of("models", person).post("/model/", {"name": "cube"}).json()
    upload(model, cube)
    run_jobs()
    made = make("line-item", bureau=bureau["uri"], quantity=1, model=model["uri"])

    picture = client_of("models", person).get(model["uri"]).json()["snapshot"]
    assert made["snapshot"] == picture
    (listed,) = erp.get("/line-item/").json()["resources"]
    assert listed["snapshot"] == picture


def test_members_and_administrators_create_line_items(client_of, bureau, member, operator):
    body = {"bureau": bureau["uri"], "quantity": 1, "no_model_upload": True}

    assert client_of("erp", member).post("/line-item/", body).status_code == 201
    assert client_of("erp", operator).post("/line-item/", body).status_code == 201


def test_stranger_is_rejected_before_field_validation(client_of, bureau, stranger):
    answer = client_of("erp", stranger).post("/line-item/", {"bureau": bureau["uri"], "x": 1})

    assert (answer.status_code, errors_of(answer)) == (403, [("Unauthorized", None)])


def test_confirming_creates_the_pieces_once(erp, pending, pieces_of):
    item = pending(quantity=3)

    assert erp.put(item["uri"], {"status": "confirmed"}).status_code == 204
    again = erp.put(item["uri"], erp.get(item["uri"]).json())

    assert again.status_code == 204
    assert [piece["number"] for piece in pieces_of(item)] == [1, 2, 3]


def test_line_item_without_estimate_cannot_be_confirmed(erp, make, bureau, pieces_of):
    item = make("line-item", bureau=bureau["uri"], quantity=1, no_model_upload=True)

    answer = erp.put(item["uri"], {"status": "confirmed", "notes": "now"})

    assert errors_of(answer) == [("illegal-transition", "status")]
    assert "wait until it is pending" in answer.json()["errors"][0]["title"]
    assert erp.get(item["uri"]).json()["notes"] is None
    assert pieces_of(item) == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"quantity": 4}, "quantity"),
        ({"model": None, "no_model_upload": True}, "model"),
        ({"materials": {"support": None}}, "materials.support"),
        ({"workflow": None}, "workflow"),
    ],
)
def test_production_fields_cannot_be_changed_after_confirmation(erp, pending, change, field):
    item = pending()
    erp.put(item["uri"], {"status": "confirmed"})
    before = erp.get(item["uri"]).json()

    answer = erp.put(item["uri"], change)

    assert (answer.status_code, errors_of(answer)) == (409, [("already-confirmed", field)])
    assert erp.get(item["uri"]).json() == before


def test_unsettled_fields_of_a_confirmed_line_item_keep_the_estimate(erp, pending):
    item = pending()
    erp.put(item["uri"], {"status": "confirmed"})
    confirmed = erp.get(item["uri"]).json()

    changes = {"notes": "By Friday.", "priority": 1, "quantity": item["quantity"]}
    assert erp.put(item["uri"], changes).status_code == 204

    after = erp.get(item["uri"]).json()
    assert (after["notes"], after["priority"], after["status"]) == ("By Friday.", 1, "confirmed")
    assert after["estimates"] == confirmed["estimates"] == item["estimates"]


def test_confirmed_line_item_cannot_become_pending(erp, pending):
    item = pending()
    erp.put(item["uri"], {"status": "confirmed"})

    answer = erp.put(item["uri"], {"status": "pending"})

    assert (answer.status_code, errors_of(answer)) == (409, [("illegal-transition", "status")])
    (error,) = answer.json()["errors"]
    assert "is confirmed and cannot become pending" in error["title"]
    assert (error["details"]["from"], error["details"]["to"]) == ("confirmed", "pending")


def test_cancelled_line_item_can_be_reopened_and_confirmed_again(erp, pending, pieces_of):
    item = pending(quantity=2)
    for status in ("confirmed", "cancelled", "pending", "confirmed"):
        assert erp.put(item["uri"], {"status": status}).status_code == 204

    assert [(piece["number"], piece["status"]) for piece in pieces_of(item)] == [
        (1, "cancelled"),
        (2, "cancelled"),
        (3, "created"),
        (4, "created"),
    ]


def test_line_item_changed_while_cancelled_is_estimated_when_reopened(erp, pending, estimate):
    item = pending(quantity=2)
    erp.put(item["uri"], {"status": "cancelled"})
    assert erp.put(item["uri"], {"quantity": 1}).status_code == 204

    assert erp.put(item["uri"], {"status": "pending"}).status_code == 204

    assert erp.get(item["uri"]).json()["status"] == "calculating_estimates"
    estimate()
    reopened = erp.get(item["uri"]).json()
    assert (reopened["status"], reopened["estimates"]["print_time"]) == ("pending", 3600)


def test_line_item_representation_can_be_put_unchanged(erp, pending):
    item = pending()

    assert erp.put(item["uri"], item).status_code == 204

    after = erp.get(item["uri"]).json()
    assert after | {"updated": item["updated"]} == item


def test_pending_line_item_can_be_deleted_and_confirmed_one_cannot(erp, pending):
    gone, kept = pending(), pending()
    erp.put(kept["uri"], {"status": "confirmed"})

    assert erp.delete(gone["uri"]).status_code == 204
    answer = erp.delete(kept["uri"])

    assert erp.get(gone["uri"]).status_code == 404
    assert (answer.status_code, errors_of(answer)) == (409, [("resource-in-use", None)])


def test_line_items_are_filtered_by_order_material_and_status(erp, make, bureau, order, priced):
    fields = {"bureau": bureau["uri"], "quantity": 1, "no_model_upload": True}
    make("line-item", **fields)
    wanted = make("line-item", **fields, order=order["uri"], materials=priced["materials"])

    for name, value in {
        "order": order["uri"],
        "materials.base": priced["materials"]["base"],
    }.items():
        (found,) = erp.get(f"/line-item/?filter[{name}]={value}").json()["resources"]
        assert found["uri"] == wanted["uri"]
    assert erp.get("/line-item/?filter[status]=new").json()["meta"]["count"] == 2
