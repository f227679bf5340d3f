"""Numbers that no column holds are refused, and counts have room."""

import pytest
from django.db import models

from apps.erp.base.serializers.resources import input_of
from apps.erp.models import Capacity
from geometry.packing.bounds import Outline, PackingSpace, outline_bounds
from geometry.packing.request import Volume


@pytest.mark.parametrize("packer", ["box_packer", "premium_packer"])
@pytest.mark.parametrize("mode", ["volume", "plate"])
@pytest.mark.parametrize("size", [(0.1, 0.1, 0.1), (1e-7, 1e-7, 1e-7), (1.0, 1.0, 0.0)])
def test_capacity_column_holds_the_count_of_the_smallest_parts(db, packer, mode, size):
    outline = Outline("grain", size, None, "free")

    fit = outline_bounds(outline, PackingSpace(Volume(10_000, 10_000, 10_000), 0.0, mode, packer))

    kept = Capacity.objects.create(
        key="k", question={}, at_least=fit.at_least, at_most=fit.at_most, reason=fit.reason
    )
    kept.refresh_from_db()
    assert 1_000_000 <= kept.at_most == fit.at_most


def test_integer_field_rejects_values_beyond_its_column():
    column = models.PositiveIntegerField(name="quantity")
    column.set_attributes_from_name("quantity")
    field = input_of(column)

    assert field.run_validation(2**31 - 1) == 2**31 - 1
    with pytest.raises(Exception, match="2147483647"):
        field.run_validation(2**31)
