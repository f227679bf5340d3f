"""A dry run of a line item validates it like the request, and creates nothing."""

import pytest


def test_dry_run_of_a_line_item_returns_it_and_creates_nothing(
    erp, make, bureau, cube_model, priced, queued
):
    order = make("order", bureau=bureau["uri"], name="Nr. 1")
    body = {"bureau": bureau["uri"], "order": order["uri"], "quantity": 2, **priced}
    body |= {"model": cube_model["uri"]}
    before = queued()

    preview = erp.post("/line-item/?dry_run=true", body, HTTP_IDEMPOTENCY_KEY="one")

    assert preview.status_code == 200
    assert (preview.json()["model"], preview.json()["status"]) == (cube_model["uri"], "new")
    assert erp.get(preview.json()["uri"]).status_code == 404
    assert erp.get("/line-item/").json()["resources"] == []
    assert erp.get(order["uri"]).json()["line_items"] == []
    assert queued() == before
    assert erp.post("/line-item/", body, HTTP_IDEMPOTENCY_KEY="one").status_code == 201


@pytest.mark.parametrize(
    "wrong",
    [
        {"quantity": 0},
        {"model": "http://models.platform.localhost/model/01a20fd9-837a-7ff4-b225-ba7174287527/"},
        {"materials": {"base": "http://erp.platform.localhost/material/1/"}},
        {"colour": "red"},
        {"status": "confirmed"},
    ],
)
def test_dry_run_of_a_line_item_is_rejected_like_the_request(
    erp, make, bureau, cube_model, priced, wrong
):
    body = {"bureau": bureau["uri"], "quantity": 2, **priced}
    body |= {"model": cube_model["uri"], **wrong}

    preview, real = (erp.post(f"/line-item/{query}", body) for query in ("?dry_run=true", ""))

    assert preview.status_code == real.status_code >= 400
    assert preview.json() == real.json()


def test_dry_run_grants_a_bureau_nothing(erp, client_of, make, person, bureau, cube_model):
    users = client_of("users", person)
    before = users.get("/permissions/").json()["meta"]["count"]

    body = {"bureau": bureau["uri"], "model": cube_model["uri"], "quantity": 2}

    preview = erp.post("/line-item/?dry_run=true", body)

    assert preview.status_code == 200
    assert users.get("/permissions/").json()["meta"]["count"] == before
