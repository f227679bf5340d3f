"""Guests and customers of a storefront read nothing of others, on whichever host."""

import base64
import re
from typing import Any

import pytest

from tests.flows.sales_data import use_account
from tests.flows.test_documents import Shop, _filled, documents, shop  # noqa: F401  fixtures

# What everybody may read.
PUBLIC = {("search", "/about/"), ("data", "/about/")}


@pytest.mark.engine
@pytest.mark.gl
def test_visitors_and_customers_read_nothing_of_others(shop: Shop, documents, client_of, run_jobs):  # noqa: F811
    sales = client_of("sales")
    visit = sales.post("/visit/", {"storefront": "gates"}).json()
    # With the address of the storefront's order: what is theirs is under the account's address.
    customer = use_account(shop, run_jobs)
    account = customer["account"]["uri"]
    text = " ".join(str(answer.told) for answer in shop.answers)
    paths = sorted(set(re.findall(r"http://[\w.]+(/[\w/.-]+/)", text)))

    read, readable = walk_as(client_of, documents, visit, paths, own=visit["uri"])
    more, readable_of_customer = walk_as(client_of, documents, customer, paths, own=account)

    assert min(read, more) > 300
    assert readable + readable_of_customer == []
    mine = _client(client_of, "sales", customer)
    answers = [mine.get(f"{account}{name}/").content.decode() for name in ("orders", "parts")]
    assert "cost" not in "".join(answers)


def _client(client_of, host: str, session: dict[str, Any]):
    pair = base64.b64encode(f"{session['token']}:{session['secret']}".encode()).decode()
    return client_of(host, HTTP_AUTHORIZATION=f"Basic {pair}")


def walk_as(
    client_of, walked, session: dict[str, Any], paths: list[str], *, own: str
) -> tuple[int, list[tuple[str, str, int]]]:
    """How many paths were read with the credentials of a session, and what of others was there.

    own : URI of what belongs to the session, with all below it
    """
    read, readable = 0, []
    for host, document in walked.items():
        client = _client(client_of, host, session)
        for template, operations in document.content["paths"].items():
            for path in _filled(template, paths) if "get" in operations else ():
                answer = client.get(path)
                read += 1
                is_own = own in answer.content.decode(errors="replace") or (
                    host in ("sales", "data") and path.startswith(re.sub("^http://[^/]+", "", own))
                )
                nothing = answer.status_code == 200 and answer.json().get("resources") == []
                refused = answer.status_code in (400, 401, 403, 404)
                if not (is_own or nothing or refused or (host, path) in PUBLIC):
                    readable.append((host, path, answer.status_code))
    return read, readable
