"""Searching over HTTP: the whole road from an upload to a proven match."""

import numpy as np
import pytest

from apps.search.models import Descriptor, IndexedModel, PairCheck
from apps.search.serializers import ResultAnswer, SimilarModelsAnswer
from tests.search.shapes import bar, bracket, mirrored, turned

pytestmark = pytest.mark.django_db


def uris(found: dict) -> list[str]:
    return [result["model"] for result in found["results"]]


def test_rotated_and_scaled_copy_is_identical_and_other_part_is_no_match(store, index, similar):
    part = bracket()
    wanted, copy, other = store(part), store(turned(part, scale=25.4)), store(bar())
    for uri in (wanted, copy, other):
        index(uri)

    found = similar(wanted)

    assert set(found) == set(SimilarModelsAnswer.__annotations__)
    assert {name: found[name] for name in found if name != "results"} == {
        "model": wanted,
        "tolerance": "similar",
        "number_of_results": "10",
        "min_percentage": "0",
        "max_percentage": "100",
        "pending": 0,
    }
    (match,) = found["results"]
    assert set(match) == set(ResultAnswer.__annotations__)
    assert (match["model"], match["verdict"], match["verified"]) == (copy, "identical", True)
    assert (match["percentage"], match["mirrored"], match["unit_hint"]) == (100, False, "inch")
    assert match["scale_factor"] == pytest.approx(25.4, rel=1e-5)
    assert match["distance"] == pytest.approx(0, abs=0.01)
    assert match["deviation"]["max"] <= 0.05


def test_transform_maps_searched_model_to_match_in_both_directions(store, index, similar):
    part = bracket()
    copy = turned(part, scale=3)
    one, other = store(part), store(copy)
    index(one)
    index(other)
    size = np.linalg.norm(np.ptp(copy.reshape(-1, 3), axis=0))

    there, back = (similar(uri)["results"][0] for uri in (one, other))

    laid = part.reshape(-1, 3) @ np.array(there["transform"])[:3, :3].T
    laid += np.array(there["transform"])[:3, 3]
    gaps = np.linalg.norm(laid[:, None] - copy.reshape(-1, 3), axis=2).min(axis=1)
    assert gaps.max() < 1e-3 * size
    assert np.matmul(there["transform"], back["transform"]) == pytest.approx(np.eye(4), abs=1e-6)
    assert there["scale_factor"] * back["scale_factor"] == pytest.approx(1, abs=1e-8)
    assert PairCheck.objects.count() == 1


def test_pair_comparison_is_cached(store, index, similar, monkeypatch):
    one, other = store(bracket()), store(turned(bracket()))
    index(other)
    first = similar(one)

    monkeypatch.setattr("apps.search.domain.sandbox_pool.begin", None)

    assert similar(one) == first


def test_search_excludes_the_model_itself_but_not_its_duplicates(store, index, similar):
    one, twin = store(bracket()), store(bracket())
    index(one)
    index(twin)

    assert uris(similar(one)) == [twin]
    assert similar(one)["results"][0]["verdict"] == "identical"
    assert Descriptor.objects.count() == 1


def test_mirror_image_is_identical_only_when_requested(store, index, similar):
    one, image = store(bracket()), store(turned(mirrored(bracket())))
    index(image)

    (match,) = similar(one)["results"]
    assert (match["mirrored"], match["verdict"]) == (True, "very_similar")
    assert uris(similar(one, tolerance="identical")) == []
    assert uris(similar(one, tolerance="1", mirrored="true")) == [image]


def test_percentage_filters_limit_the_results(store, index, similar):
    one, copy = store(bracket()), store(turned(bracket()))
    index(copy)

    assert uris(similar(one, min_percentage="100", max_percentage="100")) == [copy]
    assert uris(similar(one, max_percentage="99.5")) == []


def test_tolerance_is_returned_as_requested(store, similar):
    one = store(bracket())

    for spelling in ("1", "2", "3", "identical", "very_similar", "similar"):
        assert similar(one, tolerance=spelling)["tolerance"] == spelling


def test_unreadable_model_is_neither_shown_nor_counted(
    store, index, similar, client_of, person, stranger
):
    part = bracket()
    hidden = store(turned(part), owner=stranger)
    index(hidden, owner=stranger)
    far = bracket()
    far[..., 2] *= 1.02
    visible, wanted = store(far), store(part)
    index(visible)

    assert uris(similar(wanted, number_of_results="1")) == [visible]
    assert uris(similar(wanted, scope="readable", number_of_results="1")) == [visible]

    client_of("users", stranger).post(
        "/permissions/",
        {"holder": person.uri, "namespace": "models", "object": hidden, "right": "read"},
    )
    assert uris(similar(wanted, number_of_results="1")) == [hidden]


def test_deleted_model_is_not_a_result(store, index, similar, client_of, person):
    one, copy = store(bracket()), store(turned(bracket()))
    index(copy)
    assert uris(similar(one)) == [copy]

    client_of("models", person).delete(copy)

    assert uris(similar(one)) == []


def test_unindexed_model_is_found_only_in_readable_scope(store, similar):
    one, copy = store(bracket()), store(turned(bracket()))

    assert uris(similar(one)) == []
    assert uris(similar(one, scope="readable")) == [copy]


def test_undescribed_model_is_described_on_the_fly_without_storing(store, index, similar):
    one, copy = store(bracket()), store(turned(bracket()))
    index(copy)
    sha256 = IndexedModel.objects.get().content_hash
    Descriptor.objects.exclude(content_hash=sha256).delete()

    assert uris(similar(one)) == [copy]
    assert Descriptor.objects.count() == 1
    assert IndexedModel.objects.count() == 1


def test_comparison_beyond_time_budget_is_estimated_and_enqueued(
    store, index, similar, run_jobs, monkeypatch
):
    one, copy = store(bracket()), store(turned(bracket(), scale=10))
    index(copy)

    monkeypatch.setattr("apps.search.services.similar.TIMEOUT", 0)
    hurried = similar(one)
    assert similar(one, tolerance="identical")["results"] == []
    (match,) = hurried["results"]
    assert (hurried["pending"], match["verified"], match["transform"]) == (1, False, None)
    assert match["unit_hint"] == "cm"
    assert set(run_jobs()) == {"compare_contents"}

    later = similar(one)
    assert (later["pending"], later["results"][0]["verdict"]) == (0, "identical")


@pytest.mark.parametrize("argument", ["fields", "fields[model]"])
def test_fields_argument_of_old_clients_is_ignored(search, client_of, person, argument):
    answers = [
        search.get("/similar-models/", {"filter[tolerance]": "4", argument: "distance,model"}),
        search.get("/indexed-model/", {argument: "name"}),
        client_of("models", person).get("/model/", {argument: "name"}),
        client_of("models", person).get("/model/", {"fieldset": "name"}),
    ]

    assert [answer.status_code for answer in answers] == [400, 200, 200, 400]
    fields = [error["field"] for error in answers[0].json()["errors"]]
    assert sorted(fields) == ["filter[model]", "filter[tolerance]"]


def test_search_validation_errors_are_returned_together(search):
    answer = search.get(
        "/similar-models/",
        {
            "filter[tolerance]": "4",
            "filter[number_of_results]": "0",
            "filter[min_percentage]": "nan",
            "filter[max_percentage]": "101",
            "filter[scope]": "all",
            "filter[mirrored]": "1",
            "page[limit]": "3",
        },
    )

    assert answer.status_code == 400
    refused = "property-value-not-in-allowed-values"
    assert {error["field"]: error["code"] for error in answer.json()["errors"]} == {
        "page[limit]": "request-validation-error",
        "filter[model]": "missing-parameter",
        "filter[tolerance]": refused,
        "filter[number_of_results]": refused,
        "filter[min_percentage]": refused,
        "filter[max_percentage]": refused,
        "filter[scope]": refused,
        "filter[mirrored]": refused,
    }
