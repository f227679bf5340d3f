"""Models of confirmed line items are kept until they are printed."""

import pytest

from apps.erp.models import LineItem
from apps.warehouse.models import Model
from apps.warehouse.services.models import delete_models
from tests.erp.conftest import key_of

pytestmark = pytest.mark.django_db


def test_model_of_a_confirmed_line_item_is_not_deleted(
    client_of, person, make, bureau, confirmed, box_model
):
    model = box_model(20, 30, 40)
    order = make("order", bureau=bureau["uri"], name="Monday")["uri"]
    confirmed(model, 2, order_id=key_of({"uri": order}))
    item = LineItem.objects.get()

    answer = client_of("models", person).delete(model["uri"])

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert error["code"] == "model-in-use"
    assert error["details"] == {"line_items": [item.uri], "orders": [order]}
    assert order in error["title"]


@pytest.mark.parametrize(
    "status", ["confirmed", "queued", "printing", "post-processing", "shipping"]
)
def test_model_is_not_deleted_before_its_line_items_end(
    client_of, person, confirmed, box_model, status
):
    model = box_model(20, 30, 40)
    confirmed(model, 2)
    LineItem.objects.update(status=status)

    assert client_of("models", person).delete(model["uri"]).status_code == 409


def test_document_of_model_deletion_names_its_statuses(client_of):
    document = client_of("models").get("/openapi.json").json()

    operation = document["paths"]["/model/{uuid}/"]["delete"]

    assert {"204", "409"} <= operation["responses"].keys()
    assert all(
        status in operation["description"]
        for status in ("204", "403", "404", "409", "`confirmed`", "`queued`", "`printing`")
    )


@pytest.mark.parametrize("status", ["pending", "cancelled", "complete"])
def test_model_is_deleted_when_its_line_items_are_not_in_production(
    client_of, person, confirmed, box_model, status
):
    model = box_model(20, 30, 40)
    confirmed(model, 2)
    LineItem.objects.update(status=status)

    assert client_of("models", person).delete(model["uri"]).status_code == 204


def test_line_item_whose_model_was_deleted_is_not_confirmed(
    client_of, erp, person, make, bureau, confirmed, box_model
):
    model = box_model(20, 30, 40)
    order = make("order", bureau=bureau["uri"], name="Monday")["uri"]
    confirmed(model, 2, order_id=key_of({"uri": order}))
    item = LineItem.objects.get()
    item.pieces.all().delete()
    LineItem.objects.update(status="pending", estimates={"cost": {"amount": 1.0}, "terms": []})
    quote = make("quote", order=order)["uri"]
    assert client_of("models", person).delete(model["uri"]).status_code == 204

    answers = [
        erp.put(item.uri, {"status": "confirmed"}),
        erp.put(quote, {"status": "accepted"}),
    ]

    assert [answer.status_code for answer in answers] == [409, 409]
    assert {answer.json()["errors"][0]["code"] for answer in answers} == {"model-gone"}
    assert LineItem.objects.get().status == "pending"
    assert not item.pieces.exists()


def test_administrator_deletes_all_but_models_in_production(person, confirmed, box_model):
    confirmed(box_model(20, 30, 40), 2)
    box_model(10, 10, 10)

    deleted = delete_models(actor=person, models=Model.objects.all())

    assert deleted == 1
    assert Model.objects.filter(deleted=None).count() == 1
