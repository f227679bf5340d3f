"""Numbers beyond what is computed and stored: refused, bounded, or named where they stand."""

import pytest
from django.db import models

from apps.erp.base.serializers.resources import input_of
from apps.erp.models import Capacity, LineItem, Material
from geometry.packing.bounds import Outline, PackingSpace, outline_bounds
from geometry.packing.request import Volume
from tests.erp.conftest import key_of


@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
@pytest.mark.parametrize("mode", ["volume", "plate"])
@pytest.mark.parametrize("size", [(0.1, 0.1, 0.1), (1e-7, 1e-7, 1e-7), (1.0, 1.0, 0.0)])
def test_capacity_column_holds_the_count_of_the_smallest_parts(db, packer, mode, size):
    outline = Outline("grain", size, None, "free")

    fit = outline_bounds(outline, PackingSpace(Volume(10_000, 10_000, 10_000), 0.0, mode, packer))

    stored = Capacity.objects.create(
        key="k", question={}, at_least=fit.at_least, at_most=fit.at_most, reason=fit.reason
    )
    stored.refresh_from_db()
    assert 1_000_000 <= stored.at_most == fit.at_most


def test_integer_field_rejects_values_beyond_its_column():
    column = models.PositiveIntegerField(name="quantity")
    column.set_attributes_from_name("quantity")
    field = input_of(column)

    assert field.run_validation(2**31 - 1) == 2**31 - 1
    with pytest.raises(Exception, match="2147483647"):
        field.run_validation(2**31)


@pytest.mark.parametrize(
    ("kind", "field"), [("material", "density"), ("post-processor-type", "duration")]
)
def test_measure_beyond_a_thousand_million_is_rejected(erp, bureau, kind, field):
    body = {"bureau": bureau["uri"], "name": "Large"}

    accepted = erp.post(f"/{kind}/", {**body, field: 1e9})
    refused = erp.post(f"/{kind}/", {**body, field: 1.1e9})

    assert accepted.status_code == 201
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert (error["code"], error["field"]) == ("property-value-not-in-allowed-values", field)


def test_amount_beyond_the_largest_is_unknown_with_its_reason(
    make, erp, bureau, workflow, run_jobs
):
    conversion = {"bureau": bureau["uri"], "currency": "USD", "value": 1e9}
    make("currency-conversion", **conversion)
    nylon = make("material", bureau=bureau["uri"], name="PA 12", cost=1e11)
    (kind,) = erp.get("/post-processor-type/").json()["resources"]
    assert erp.put(kind["uri"], {"cost": 999_999_999_999}).status_code == 204
    order = make("order", bureau=bureau["uri"], name="Large", currency="USD")
    item = make(
        "line-item",
        bureau=bureau["uri"],
        order=order["uri"],
        quantity=10_000,
        workflow=workflow["uri"],
        materials={"base": nylon["uri"]},
        no_model_upload=True,
    )
    run_jobs()

    row = erp.get(item["uri"]).json()
    assert row["status"] == "pending"
    (term,) = [each for each in row["estimates"]["terms"] if each["name"] == "post_processing"]
    assert term["amount"] is None
    assert "more than 1,000,000,000,000" in term["reason"]
    assert row["estimates"]["cost"]["amount"] is None


def test_line_items_of_a_stored_density_beyond_the_bound_are_listed(
    make, erp, bureau, location, run_jobs
):
    nylon = make("material", bureau=bureau["uri"], name="PA 12")
    make("stock", location=location["uri"], material=nylon["uri"], quantity=1, initial=1)
    bare = {"bureau": bureau["uri"], "quantity": 1, "no_model_upload": True}
    item = make("line-item", **bare, materials={"base": nylon["uri"]})
    run_jobs()
    row = LineItem.objects.get(pk=key_of(item))
    LineItem.objects.filter(pk=row.pk).update(estimates=row.estimates | {"material": 1e300})
    Material.objects.filter(pk=key_of(nylon)).update(density=1e300)

    answer = erp.get("/line-item/")

    assert answer.status_code == 200
    (row,) = answer.json()["resources"]
    assert "shortage" in {term["name"] for term in row["estimates"]["terms"]}


def test_quote_beyond_the_largest_amount_is_rejected(make, erp, bureau, person):
    order = make("order", bureau=bureau["uri"], name="Large")
    for _ in range(2):
        LineItem.objects.create(
            bureau_id=key_of(bureau),
            order_id=key_of(order),
            no_model_upload=True,
            status="pending",
            creator=person,
            estimates={"cost": {"amount": 9e11, "currency": "EUR"}, "terms": [], "lead_time": 1.0},
        )

    answer = erp.post("/quote/", {"order": order["uri"]})

    assert answer.status_code == 409
    (error,) = answer.json()["errors"]
    assert error["code"] == "amount-too-large"
    assert "1,800,000,000,000" in error["title"]
