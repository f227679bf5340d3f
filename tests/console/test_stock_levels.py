"""Stock levels in the inventory, on the dashboard and in notifications."""

import pytest

from apps.erp.models import Bureau, Location, Material
from tests.console.visitor import main_of


@pytest.fixture
def low(ada, shop, client_of, person) -> str:
    """A material of which 320 g are there, less than its reorder point; its page."""
    erp, material = client_of("erp", person), Material.objects.get()
    assert erp.put(material.uri, {"reorder_point": 500}).status_code == 204
    lot = {"location": Location.objects.get().uri, "material": material.uri, "initial": 320}
    assert erp.post("/stock/", {**lot, "lot": "B-2217"}).status_code == 201
    other = {"bureau": Bureau.objects.get().uri, "name": "PETG"}
    petg = erp.post("/material/", other).json()["uri"]
    assert erp.post("/stock/", {**lot, "material": petg, "lot": "P-1"}).status_code == 201
    return f"/material/{material.pk}/"


def test_inventory_has_a_chip_and_a_filter_of_low_lots(ada, low):
    every = main_of(ada.get("/stock/"))
    assert "All 2" in every and "Low 1" in every and "Sufficient 1" in every

    filtered = main_of(ada.get("/stock/?filter[level]=low"))

    assert "B-2217" in filtered
    assert "P-1" not in filtered


def test_dashboard_and_notifications_name_the_low_material(ada, low):
    dashboard = main_of(ada.get("/"))
    assert "PLA is low" in dashboard
    assert "Less than the reorder point of 500 is free" in dashboard
    assert "PLA: 320 g free, reorder point 500 g" in main_of(ada.get("/notifications/"))


def test_reorder_point_is_set_in_the_form_of_a_material(ada, low):
    form = ada.get(f"{low}edit/").content.decode()
    assert 'name="reorder_point" value="500' in form

    saved = ada.send(f"{low}edit/", name="PLA", type="base", reorder_point="300")

    assert saved.status_code == 303
    material = Material.objects.get(name="PLA")
    assert (material.reorder_point, material.stock_level) == (300_000, "ok")
    assert "PLA is low" not in main_of(ada.get("/"))
