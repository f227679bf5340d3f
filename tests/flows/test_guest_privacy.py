"""A guest of a storefront reads nothing of others, on whichever host."""

import base64
import re

import pytest

from tests.flows.test_documents import Shop, _filled, documents, shop  # noqa: F401  fixtures

# What everybody may read.
PUBLIC = {("search", "/about/"), ("data", "/about/")}


@pytest.mark.engine
@pytest.mark.gl
def test_guest_reads_nothing_of_others(shop: Shop, documents, client_of):  # noqa: F811
    visit = client_of("sales").post("/visit/", {"storefront": "gates"}).json()
    pair = base64.b64encode(f"{visit['token']}:{visit['secret']}".encode()).decode()
    text = " ".join(str(answer.told) for answer in shop.answers)
    paths = sorted(set(re.findall(r"http://[\w.]+(/[\w/.-]+/)", text)))
    read, readable = 0, []

    for host, document in documents.items():
        guest = client_of(host, HTTP_AUTHORIZATION=f"Basic {pair}")
        for template, operations in document.content["paths"].items():
            for path in _filled(template, paths) if "get" in operations else ():
                answer = guest.get(path)
                read += 1
                own = visit["uri"] in answer.content.decode(errors="replace")
                nothing = answer.status_code == 200 and answer.json().get("resources") == []
                refused = answer.status_code in (400, 401, 403, 404)
                if not (own or nothing or refused or (host, path) in PUBLIC):
                    readable.append((host, path, answer.status_code))

    assert read > 300
    assert readable == []
