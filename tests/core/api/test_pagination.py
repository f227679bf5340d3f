"""Pages, links and counts of lists, over HTTP."""

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.utils import timezone

from apps.slicing.models import Gcode
from apps.users import interface as users
from apps.users.models import Group, Membership, User
from apps.warehouse.models import Model
from core.api.lists import list_counts, pagination


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def parts(person, stranger) -> list[Model]:
    """Models with many equal names, states and times; some of them another's, and shared."""
    chance = random.Random(3)
    made = []
    for number in range(24):
        model = Model.objects.create(
            owner=person if number % 4 else stranger,
            name=chance.choice(["bolt", "Bolt", "nut"]),
            status=chance.choice(["processing", "processed"]),
        )
        moment = timezone.now() - timedelta(days=chance.randrange(3))
        Model.objects.filter(pk=model.pk).update(updated=moment.replace(microsecond=0))
        if number % 4 == 0:
            users.grant(
                actor=None, holder=person.uri, namespace="models", object=model.uri, right="read"
            )
        made.append(model)
    return made


def walk(client, url: str, link: str, between=lambda: None) -> list[str]:
    """The URIs of a page and of all that its links of one kind lead to, in turn."""
    seen = []
    while url:
        page = client.get(url).json()
        seen.append([item["uri"] for item in page["resources"]])
        url = page["links"][link]
        between()
    return seen


SORTS = ["", "created", "name", "-name", "status", "-updated", "-status,name", "name,-created"]


@pytest.mark.parametrize("sort", SORTS)
@pytest.mark.parametrize("filtered", ["", "&filter[status]=processed", "&search[name]=OL"])
def test_next_links_neither_skip_nor_repeat_rows_during_concurrent_writes(
    models, parts, person, stranger, sort, filtered
):
    chance = random.Random(4)
    url = "/model/?page[limit]=5" + filtered + (f"&sort={sort}" if sort else "")
    whole = models.get(url.replace("limit]=5", "limit]=1000")).json()["resources"]

    def write() -> None:
        name, status = chance.choice(["a", "bolt", "z"]), chance.choice(["processed", "error"])
        Model.objects.create(owner=person, name=name, status=status)
        Model.objects.create(owner=stranger, name="hidden")

    pages = walk(models, url, "next", write)

    seen = [uri for page in pages for uri in page]
    old = {item["uri"] for item in whole}
    assert len(seen) == len(set(seen))
    assert [uri for uri in seen if uri in old] == [item["uri"] for item in whole]
    assert all(len(page) == 5 for page in pages[:-1])


@pytest.mark.parametrize("sort", SORTS)
def test_prev_links_return_the_same_pages_in_reverse(models, parts, person, sort):
    url = "/model/?page[limit]=5" + (f"&sort={sort}" if sort else "")
    forth = walk(models, url, "next")
    last = url
    while following := models.get(last).json()["links"]["next"]:
        last = following

    back = walk(models, last, "prev")

    assert back == forth[::-1]


def test_prev_link_includes_rows_created_meanwhile(models, parts, person):
    second = models.get(models.get("/model/?page[limit]=20").json()["links"]["next"]).json()
    new = Model.objects.create(owner=person, name="new")

    first = models.get(second["links"]["prev"]).json()
    newest = models.get(first["links"]["prev"]).json()

    assert len(first["resources"]) == 20
    assert [item["uri"] for item in newest["resources"]] == [new.uri]
    assert newest["links"]["prev"] is None
    assert newest["links"]["next"] is not None


def test_page_can_be_requested_by_offset(models, parts):
    whole = [item["uri"] for item in models.get("/model/?sort=name").json()["resources"]]

    page = models.get("/model/?sort=name&page[offset]=7&page[limit]=5").json()

    assert [item["uri"] for item in page["resources"]] == whole[7:12]
    for link, part in (("next", whole[12:17]), ("prev", whole[2:7])):
        found = models.get(page["links"][link]).json()["resources"]
        assert [item["uri"] for item in found] == part
    assert models.get("/model/?page[offset]=99").json()["resources"] == []


def test_modified_page_link_falls_back_to_its_offset(models, parts):
    whole = [item["uri"] for item in models.get("/model/").json()["resources"]]
    following = models.get("/model/?page[limit]=5").json()["links"]["next"]

    elsewhere = following.replace("offset%5D=5", "offset%5D=9")
    other = following.replace("/model/?", "/model/?sort=created&")
    forged = following[:-4] + "aaaa"

    found = [
        [item["uri"] for item in models.get(url).json()["resources"]]
        for url in (elsewhere, other, forged)
    ]
    assert found == [whole[9:14], whole[::-1][5:10], whole[5:10]]


def test_pagination_is_complete_when_sort_values_are_null(client_of, person, stranger, parts):
    # Who may do a thing is in the order of the holders' keys, which foreign holders have not.
    for number in range(7):
        holder = f"https://example.com/{number}" if number % 2 else f"{stranger.uri[:-3]}{number}0/"
        users.grant(
            actor=None, holder=holder, namespace="models", object=parts[1].uri, right="read"
        )
    query = f"namespace=models&right=read&object={parts[1].uri}&page[limit]=2"

    pages = walk_holders(client_of("users", person), f"/permissions/who-can/?{query}")

    seen = [holder for page in pages for holder in page]
    assert len(seen) == len(set(seen)) == 7


def walk_holders(client, url: str) -> list[list[str]]:
    pages = []
    while url:
        page = client.get(url).json()
        pages.append([item["holder"] for item in page["resources"]])
        url = page["links"]["next"]
    return pages


def test_count_is_exact_up_to_the_cap_and_marked_estimated_above(models, parts, monkeypatch):
    monkeypatch.setattr(list_counts, "COUNT_CAP", 24)
    assert models.get("/model/").json()["meta"] == {"count": 24}

    monkeypatch.setattr(list_counts, "COUNT_CAP", 23)
    first = models.get("/model/?page[limit]=5").json()
    assert first["meta"]["count"] >= 24
    assert first["meta"]["count_estimated"] is True
    assert models.get(first["links"]["next"]).json()["meta"] == first["meta"]


@pytest.mark.parametrize(
    "query",
    [
        "name=a%00b",
        "search[name]=%00",
        "filter[name]=%00",
        "filter[file_size]>=nan",
        "filter[file_size]=inf",
        "filter[file_size]<1e400",
        "filter[created]>=never",
    ],
)
def test_invalid_filter_values_are_rejected(models, query):
    answer = models.get(f"/model/?{query}")

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "type-validation-error"


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("filter[file_size]>=1e30", 0),
        ("filter[created]<9999-12-31T23:59:59-14:00", 24),
        ("filter[created]>=0001-01-01T00:00:00%2B14:00", 24),
        ("page[offset]=9007199254740992", 24),
        ("sort=-created,name,status", 24),
    ],
)
def test_extreme_filter_values_are_accepted(models, parts, query, count):
    answer = models.get(f"/model/?{query}")

    assert answer.status_code == 200
    assert answer.json()["meta"] == {"count": count}


# ---------------------------------------------------------------- what every kind can be asked


LISTS = {
    "users": ("/users/", "/groups/", "/memberships/", "/permissions/", "/api_tokens/"),
    "models": ("/model/",),
    "slicing": ("/config/", "/constraint/", "/constraint-model/", "/gcode/", "/slice/"),
    "integrations": ("/service/", "/operation/"),
    "payment": ("/price/", "/consent/", "/payment-status/", "/charge/", "/invoice/"),
    "erp": ("/bureau/", "/order/", "/line-item/", "/piece/", "/run/"),
    "callbacks": ("/subscription/",),
    "search": ("/indexed-model/",),
}


@pytest.mark.parametrize("host", LISTS)
def test_every_list_can_be_filtered_by_uri(client_of, person, host):
    client = client_of(host, person)
    foreign = "filter[uri]=https://example.com/a/,http://models.platform.test/model/"

    for path in LISTS[host]:
        answer = client.get(f"{path}?{foreign}")

        assert answer.status_code == 200, (path, answer.json())
        assert answer.json()["resources"] == []


def test_uri_filter_accepts_every_spelling_of_own_uris(models, parts):
    first, second = parts[1], parts[2]
    forms = [
        first.uri.replace("models.", "data.").replace("http:", "https:").rstrip("/"),
        second.uri,
        first.uri.replace("/model/", "/order/").replace("models.", "erp."),
    ]

    found = [
        models.get(f"/model/?filter[uri]={given}").json() for given in (*forms, ",".join(forms))
    ]

    named = [[item["uri"] for item in page["resources"]] for page in found]
    assert named == [[first.uri], [second.uri], [], [second.uri, first.uri]]


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("filter[created]=2026-11-22", [22]),
        ("filter[created]=2026-11-21,2026-11-23", [21, 23]),
        ("filter[created]<=2026-11-22", [21, 22]),
        ("filter[created]<2026-11-22", [21]),
        ("filter[created]>=2026-11-22", [22, 23]),
        ("filter[created]>2026-11-22", [23]),
        ("filter[created]>=2026-11-22&filter[created]<=2026-11-22", [22]),
        ("filter[created]>=2026-11-22T12:00:00Z&filter[created]<=2026-11-22", [22]),
        ("created=2026-11-22", [22]),
    ],
)
def test_date_filter_covers_the_whole_utc_day(models, person, query, days):
    for day in (21, 22, 23):
        moment = datetime(2026, 11, day, 23, 59, 59, 999_999, tzinfo=UTC)
        key = UUID(int=int(moment.timestamp() * 1000) << 80 | 7 << 76)  # of the same moment
        model = Model.objects.create(uuid=key, owner=person, name=str(day))
        Model.objects.filter(pk=model.pk).update(created=moment)

    found = models.get(f"/model/?{query}&sort=name").json()["resources"]

    assert [int(item["name"]) for item in found] == days


@pytest.mark.parametrize(
    ("low", "high", "status"),
    [
        ("created]>=2026-11-23", "created]<=2026-11-22", 400),
        ("created]>2026-11-22T10:00:00Z", "created]<2026-11-22T09:00:00Z", 400),
        ("file_size]>=2", "file_size]<=1", 400),
        ("file_size]>=2", "file_size]<=2", 200),
        ("file_size]>=2", "created]<=2020-01-01", 200),
    ],
)
def test_filter_range_with_minimum_above_maximum_is_rejected(models, low, high, status):
    answer = models.get(f"/model/?filter[{low}&filter[{high}")

    assert answer.status_code == status
    if status == 400:
        (error,) = answer.json()["errors"]
        assert error["code"] == "property-value-not-in-allowed-values"
        assert error["field"] == f"filter[{low.partition(']')[0]}]"


@pytest.mark.parametrize("host", ["data", "quickslice", "slicing"])
def test_page_links_stay_on_the_requested_host(client_of, person, host):
    for name in "abc":
        Gcode.objects.create(owner=person, name=name)

    links = client_of(host, person).get("/gcode/?page[limit]=1&page[offset]=1").json()["links"]

    for link in links.values():
        assert link.startswith(f"http://{host}.platform.test/gcode/?")


# ---------------------------------------------------------------- members of a group


def test_group_reader_lists_members_without_their_contact_data(
    client_of, person, stranger, operator
):
    group = Group.objects.create(creator=person)
    Membership.objects.create(group=group, user=stranger)
    asked = f"/users/?filter[group]={group.uri}"
    eve = User.objects.create_user("eve", "eve@example.com", name="Eve")

    (by_creator,) = client_of("users", person).get(asked).json()["resources"]
    (by_operator,) = client_of("users", operator).get(asked).json()["resources"]
    outside = client_of("users", eve).get(asked)
    guessed = client_of("users", person).get(f"{asked}&filter[email]=bob@example.com")

    assert (by_creator["uri"], by_creator["name"]) == (stranger.uri, "Bob")
    assert (by_creator["email"], by_creator["emails"], by_creator["address"]) == (None, [], None)
    assert by_operator["email"] == "bob@example.com"
    assert [answer.status_code for answer in (outside, guessed)] == [400, 400]


def test_count_by_counts_every_value_with_the_other_filters(models, parts):
    bolts = [each for each in parts if each.name.lower() == "bolt"]
    expected = Counter(each.status for each in bolts)

    for more in ("", "&filter[status]=processed", "&page[limit]=1&sort=name"):
        answer = models.get(f"/model/?count_by=status&search[name]=bolt{more}").json()
        counts = answer["meta"]["counts"]
        assert {value: count for value, count in counts.items() if count} == expected
        assert counts["error"] == 0

    onward = models.get("/model/?count_by=status&page[limit]=5").json()["links"]["next"]
    assert sum(models.get(onward).json()["meta"]["counts"].values()) == len(parts)


@pytest.mark.parametrize("name", ["name", ""])
def test_count_by_names_the_fields_that_it_takes(models, name):
    answer = models.get(f"/model/?count_by={name}")

    assert answer.status_code == 400
    (fault,) = answer.json()["errors"]
    assert fault["field"] == "count_by"
    assert fault["title"].startswith(f"This list cannot be counted by {name!r}; it can by: ")
    assert "status" in fault["title"]


@pytest.mark.parametrize("host", ["erp", "models", "slicing", "callbacks", "users", "payment"])
def test_every_list_that_documents_count_by_takes_it(client_of, operator, host):
    client = client_of(host, operator)
    document = client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for each in methods.get("get", {}).get("parameters", ()):
            # A recall needs a cause.
            if each["name"] == "count_by" and "{" not in path and path != "/recall/":
                for field in each["schema"]["enum"]:
                    answer = client.get(f"{path}?count_by={field}")
                    assert answer.status_code == 200, (path, field, answer.content)
                    assert "counts" in answer.json()["meta"], (path, field)


@pytest.mark.parametrize("order", ["", "sort=name", "sort=-status,name"])
def test_a_page_far_on_has_the_rows_that_follow(client_of, operator, parts, monkeypatch, order):
    every = client_of("models", operator).get(f"/model/?{order}&page[limit]=50").json()["resources"]
    monkeypatch.setattr(pagination, "FAR", 5)

    answer = (
        client_of("models", operator).get(f"/model/?{order}&page[offset]=17&page[limit]=4").json()
    )

    assert [row["uri"] for row in answer["resources"]] == [row["uri"] for row in every[17:21]]
    assert answer["meta"]["count"] == len(parts)
