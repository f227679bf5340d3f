"""Models of confirmed line items are kept until they are printed."""

import pytest

from apps.erp.models import LineItem
from apps.warehouse.models import Model
from apps.warehouse.services.models import delete_models

pytestmark = pytest.mark.django_db


def test_model_of_a_confirmed_line_item_is_not_deleted(client_of, person, confirmed, box_model):
    model = box_model(20, 30, 40)
    confirmed(model, 2)
    item = LineItem.objects.get()

    answer = client_of("models", person).delete(model["uri"])

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert (error["code"], error["details"]) == ("model-in-use", {"line_items": [item.uri]})
    assert item.uri in error["title"]


@pytest.mark.parametrize("status", ["pending", "cancelled", "complete"])
def test_model_is_deleted_when_its_line_items_are_not_in_production(
    client_of, person, confirmed, box_model, status
):
    model = box_model(20, 30, 40)
    confirmed(model, 2)
    LineItem.objects.update(status=status)

    assert client_of("models", person).delete(model["uri"]).status_code == 204


def test_administrator_deletes_all_but_models_in_production(person, confirmed, box_model):
    confirmed(box_model(20, 30, 40), 2)
    box_model(10, 10, 10)

    deleted = delete_models(actor=person, models=Model.objects.all())

    assert deleted == 1
    assert Model.objects.filter(deleted=None).count() == 1
