"""Results that providers upload in pieces."""

from tests.files_host import PIECE, ask


def test_result_uploaded_in_chunks_becomes_a_model(
    files_host, catalogue, order, integrations, answering, run_jobs, cube, client_of, person
):
    service = catalogue()
    operation = order(service)
    run_jobs()
    provider = answering(service)
    location = provider.job["upload"]["url"]

    for start in range(0, len(cube), 300):
        piece = {**PIECE, "Upload-Offset": start, "Upload-Length": len(cube)}
        assert ask("PATCH", location, piece, cube[start : start + 300]).status == 204
    provider.report(status="complete", result={"name": "healed.stl", "type": "stl"})
    run_jobs()

    told = integrations.get(operation).json()
    model = client_of("models", person).get(told["result"]).json()
    assert (told["status"], model["status"]) == ("complete", "processed")
    assert model["file_size"] == len(cube)
    assert ask("PATCH", location, piece, b"").rejection == (409, "already-reported")
