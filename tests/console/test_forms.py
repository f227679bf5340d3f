"""Forms that are sent without a session, twice, again after Back, or with a wrong file."""

import json
import re
from html import unescape

import pytest

from apps.erp.models import LineItem, Order
from tests.console.visitor import PASSWORD, Browser, choices, drop, order, text_of


def key_in(page) -> str:
    return re.search(r'name="key" value="([^"]+)"', page.content.decode())[1]


def test_form_of_the_address_after_back_has_the_same_key(ada, shop, part):
    paths = [
        f"/order/new/?model={part.split('/')[2]}",
        f"{part}slice/",
        "/bureau/",
        f"{shop}prices/",
    ]
    for path in paths:
        page = ada.get(path)
        key = key_in(page)
        action = re.search(r'action="([^"]+)" data-keyed', page.content.decode())[1]
        assert f"key={key}" in action

        again = ada.get(path.partition("?")[0] + action.replace("&amp;", "&"))

        assert (key_in(again), key_in(ada.get(path)) != key) == (key, True)


def test_order_form_sent_again_creates_no_second_order(ada, shop, part):
    first = order(ada, part, key="the same")
    again = order(ada, part, key="the same")
    other = order(ada, part, number=5, key="the same")

    assert first["Location"] == again["Location"] != other["Location"]
    assert sorted(LineItem.objects.values_list("quantity", flat=True)) == [3, 5]


def test_order_with_a_rejected_part_leaves_nothing_behind(
    ada, shop, person, stranger, client_of, upload, cube, run_jobs
):
    bob, paths = Browser(), []
    bob.send("/sign-in/", username="bob", password=PASSWORD)
    for browser in (bob, ada):
        paths.append(drop(browser, "cube")["Location"])
        upload({"uri": paths[-1]}, cube)
    run_jobs()
    readable = {"holder": person.uri, "namespace": "models", "right": "read"}
    uri = f"http://models.platform.test{paths[0]}"
    client_of("users", stranger).post("/permissions/", {**readable, "object": uri})
    form = ada.get(f"/order/new/?model={paths[0].split('/')[2]}")
    fields = {f"n-{path.split('/')[2]}": "1" for path in paths} | {"name": "Nr. 1", "key": "one"}
    fields |= {"material": choices(form, "material")["PLA"]}
    fields |= {"workflow": choices(form, "workflow")["Print"]}

    refused = ada.send("/order/new/", **fields)

    assert refused.status_code == 409, text_of(refused)
    assert (Order.objects.count(), LineItem.objects.count()) == (0, 0)


def entries_of(page) -> str:
    return unescape(re.search(r'name="entries" value="([^"]+)"', page.content.decode())[1])


def test_form_without_a_session_is_sent_after_the_sign_in(ada, part):
    ada.cookies.clear()

    page = ada.send(f"{part}rename/", name="Bracket <1>", password="secret")

    assert page.status_code == 401
    assert "Your entries are kept" in text_of(page)
    assert json.loads(entries_of(page)) == [["name", "Bracket <1>"]]
    action = re.search(r'action="(/sign-in/[^"]+)"', page.content.decode())[1]
    wrong = ada.send(action, username="ada", password="wrong", entries=entries_of(page))
    assert wrong.status_code == 403
    assert entries_of(wrong) == entries_of(page)
    entered = ada.send(action, username="ada", password=PASSWORD, entries=entries_of(wrong))
    assert f'action="{part}rename/" data-go-on' in entered.content.decode()
    assert 'name="name" value="Bracket &lt;1&gt;"' in entered.content.decode()
    ada.send(f"{part}rename/", name="Bracket <1>")
    assert "Bracket &lt;1&gt;" in ada.get(part).content.decode()


@pytest.mark.parametrize("entries", ["", "{", "1", "[1]", '[["a"]]', '[["a", 1]]', '{"ab": 1}'])
def test_sign_in_with_unreadable_entries_leads_on(browser, person, entries):
    answer = browser.send(
        "/sign-in/?next=/order/", username="ada", password=PASSWORD, entries=entries
    )

    assert answer.status_code in (200, 303)
    assert "session" in browser.cookies


def test_form_is_sent_on_to_pages_of_this_site_only(browser, person):
    entries = json.dumps([["name", "x"]])
    address = "/sign-in/?next=http://elsewhere.test/"

    page = browser.send(address, username="ada", password=PASSWORD, entries=entries)

    assert 'action="/" data-go-on' in page.content.decode()


def test_confirmation_is_not_shown_above_an_error(ada):
    missing = "/model/01a20fd9-837a-7ff4-b225-ba7174287527/"

    page = text_of(ada.get(f"{missing}?done=renamed"))

    assert "Not found" in page
    assert "Part renamed." not in page


def test_file_of_another_type_is_rejected_with_the_types_that_are_read(ada):
    refused = drop(ada, "photo", type="png")

    assert refused.status_code == 400
    page = text_of(refused)
    assert "Files of the type “png” cannot be printed. Upload one of these: STL, 3MF" in page
    assert "available choices" not in page


def test_every_time_of_a_page_names_its_time_zone(ada, shop, part):
    ordered = order(ada, part)
    assert ordered.status_code == 303, text_of(ordered)
    ada.send("/api/", name="script", expires="2099-01-31")

    texts = []
    for path in (part, "/order/?columns=number,created", "/failed/", "/api/"):
        page = ada.get(path)
        assert page.status_code == 200, text_of(page)
        time = r'<time [^>]*datetime="[^"]+"[^>]*>([^<]*)</time>'
        texts += re.findall(time, page.content.decode())
    assert len(texts) >= 3, texts
    assert [text for text in texts if not text.endswith(" UTC")] == []
