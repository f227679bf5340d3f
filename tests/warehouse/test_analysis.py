"""What is found out about a model beside and after its verdict."""

import io
import json
from pathlib import Path

import pytest
from django.core.files.storage import default_storage
from django.core.management import call_command

from apps.callbacks.models import Delivery
from apps.warehouse.actors.printability import assess_printability
from apps.warehouse.models import Model
from core.models import blob_name
from geometry.analysis import ANALYSIS_VERSION, Analysis
from geometry.printability import PRINTABILITY_VERSION, Printability

pytestmark = pytest.mark.django_db

HOOK = {"url": "http://93.184.216.34/hook"}


@pytest.fixture
def old(processed, cube):
    """A model that was judged by an older analysis."""
    part = processed(cube)
    Model.objects.update(analyses={"version": 0, "manifold": True, "size": [1, 2, 3]})
    return part


def test_printability_follows_the_analysis_without_a_callback(models, upload, run_jobs, cube):
    model = models.post("/model/", {"name": "a", "callback": HOOK}).json()
    upload(model, cube)

    assert run_jobs().index("assess_printability") > 0

    found = models.get(model["uri"]).json()["analyses"]["printability"]
    assert set(found) == {*Printability._fields, "errors"}
    assert (found["version"], found["errors"]) == (PRINTABILITY_VERSION, None)
    assert found["contact_area"] == pytest.approx(400)
    assert found["thinnest_wall"] == pytest.approx(20, rel=0.01)
    assert Delivery.objects.count() == 1


def test_printability_of_equal_files_is_assessed_once(
    models, analysed_model, upload, cube, run_jobs, monkeypatch
):
    first = analysed_model(cube)
    # From here on no child process may be asked.
    monkeypatch.setattr("core.sandbox.sandbox.Sandbox.run", None)

    second = analysed_model(cube)
    assess_printability.fn(Model.objects.first().canonical_id)

    assert second["analyses"] == first["analyses"]
    assert second["analyses"]["printability"] is not None


def test_printability_of_a_degenerate_mesh_is_assessed(analysed_model, point):
    model = analysed_model(point)

    found = model["analyses"]["printability"]
    assert found["version"] == PRINTABILITY_VERSION
    assert found["thinnest_wall"] is None


def test_outdated_analysis_has_null_for_unknown_fields(models, old):
    analyses = models.get(old["uri"]).json()["analyses"]

    assert set(analyses) == {*Analysis._fields, "printability"}
    assert (analyses["manifold"], analyses["size"], analyses["triangles"]) == (
        True,
        [1, 2, 3],
        None,
    )


def test_outdated_models_are_analysed_again_without_callbacks(
    models, old, processed, cube, run_jobs
):
    processed(cube)  # one of today, which is assessed alone
    told = io.StringIO()

    call_command("reanalyse_models", stdout=told)

    assert told.getvalue() == "2 files are to be analysed or assessed.\n"
    assert run_jobs() == ["analyse_again", "assess_printability", "assess_printability"]
    model = models.get(old["uri"]).json()
    assert (model["status"], model["analyses"]["version"]) == ("processed", ANALYSIS_VERSION)
    assert model["polygons"] == 12
    assert model["analyses"]["printability"] is not None
    assert Delivery.objects.count() == 0
    call_command("reanalyse_models", "--watch", stdout=told)
    assert told.getvalue().endswith("0 files are to be analysed or assessed.\n")


def test_failed_reanalysis_keeps_the_old_analysis(models, old, run_jobs):
    row = Model.objects.get()
    Path(default_storage.path(blob_name(row.content_id))).write_bytes(b"not an STL")

    call_command("reanalyse_models", stdout=io.StringIO())
    run_jobs()

    assert models.get(old["uri"]).json()["analyses"]["version"] == 0


def test_openapi_document_lists_every_analysis_field(client_of):
    document = json.loads(client_of("models").get("/openapi.json").content)

    schemas = document["components"]["schemas"]

    assert set(schemas["Analysis"]["properties"]) == {*Analysis._fields, "printability"}
    assert set(schemas["Printability"]["properties"]) == {*Printability._fields, "errors"}
