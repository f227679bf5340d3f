"""docs/errors.md: every code that a program may meet, read from the sources."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "errors.md"


def test_error_code_page_matches_the_sources():
    made = runpy.run_path(str(ROOT / "bin" / "error-codes"))["page"]()

    assert PAGE.read_text() == made, "run make error-codes"


def test_returned_error_codes_are_on_the_page(client_of, person):
    api = client_of("models", person)
    answers = [
        client_of("models").get("/model/"),
        api.get("/nothing/"),
        api.delete("/model/"),
        api.post("/model/", {"type": "doc"}),
        client_of("slicing", person).post("/config/curated/", {"engine": "none"}),
    ]

    told = [error["code"] for answer in answers for error in answer.json()["errors"]]
    assert len(told) >= len(answers)
    page = PAGE.read_text()
    assert [code for code in told if f"| `{code}` |" not in page] == []
