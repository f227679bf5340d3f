"""What all answers have in common, and the lines that refused ones write to the log."""

import pytest


@pytest.mark.parametrize("path", ["/model/", "/nothing/"])
def test_no_shared_cache_may_store_answers_of_the_api(client_of, person, path):
    answer = client_of("models", person).get(path)

    assert answer["Cache-Control"] == "private, no-cache"


def test_refused_requests_write_no_log_lines(client_of, person, caplog):
    models = client_of("models", person)

    assert models.get("/nothing/").status_code == 404
    assert models.post("/model/", {"name": 1}).status_code == 400
    assert client_of("models").get("/model/").status_code == 401

    assert caplog.messages == []
