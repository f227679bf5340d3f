"""The contract's table of rights: who may create, change and delete what."""

import pytest

NOWHERE = "01900000-0000-7000-8000-000000000000"
# What the right is granted on, the kind of resource, the right, and what else a creation names.
TABLE = [
    ("bureau", "currency-conversion", "currency_conversion.all", ["currency", "value"]),
    ("bureau", "location", "location.all", ["name"]),
    ("bureau", "manufacturer", "manufacturer.all", ["name"]),
    ("bureau", "material", "material.all", ["name"]),
    ("bureau", "post-processor-type", "post_processor_type.all", ["name"]),
    ("bureau", "printer-type", "printer_type.all", ["name", "build_volume"]),
    ("bureau", "service-provider", "service_provider.all", ["name"]),
    ("bureau", "shipping", "shipping.all", ["name"]),
    ("bureau", "third-party", "third_party.all", ["name"]),
    ("location", "post-processor", "post_processor.all", ["name", "post_processor_type"]),
    ("location", "printer", "printer.all", ["name", "printer_type"]),
    ("location", "stock", "stock.all", ["material"]),
]
KINDS = [kind for _, kind, _, _ in TABLE]
OF_MEMBERS = ["order", "workflow", "model-library", "run", "line-item"]
every_row = pytest.mark.parametrize(("on", "kind", "right", "names"), TABLE, ids=KINDS)


@pytest.fixture
def finishing(make, bureau) -> dict:
    return make("post-processor-type", bureau=bureau["uri"], name="Dyeing")


@pytest.fixture
def polyamide(make, bureau) -> dict:
    return make("material", bureau=bureau["uri"], name="PA 12")


class Values(dict):
    """A value for whatever a creation names; a resource is made when it is asked for."""

    FIXTURES = {"material": "polyamide", "post_processor_type": "finishing"}

    def __init__(self, request: pytest.FixtureRequest, **plain: object):
        super().__init__(plain)
        self._request = request

    def __missing__(self, name: str) -> str:
        made = self._request.getfixturevalue(self.FIXTURES.get(name, name))
        return self.setdefault(name, made["uri"])


@pytest.fixture
def values(request) -> Values:
    plain = {
        "name": "New",
        "currency": "USD",
        "value": 1.1,
        "build_volume": {"x": 100, "y": 100, "z": 100},
    }
    return Values(request, **plain)


@pytest.fixture
def bob(client_of, stranger):
    return client_of("erp", stranger)


@pytest.fixture
def grant(make, values, stranger, client_of, person, bureau):
    """`grant("bureau", right)`: to Bob; or to the bureau's group, of which he becomes one."""

    def give(on: str, right: str, *, to_group: bool) -> None:
        if not to_group:
            fields = {on: values[on], "right": right, "user": stranger.uri}
            make(f"permission-{on}", **fields)
            return
        make("membership-bureau", bureau=bureau["uri"], user=stranger.uri)
        holder = {"holder": bureau["group"], "namespace": "erp"}
        body = {**holder, "object": values[on], "right": right}
        answer = client_of("users", person).post("/permissions/", body)
        assert answer.status_code == 201, answer.json()

    return give


def body_of(on: str, names: list[str], values: Values) -> dict:
    return {name: values[name] for name in (on, *names)}


def rejection(answer) -> dict:
    """The one error of a 403."""
    assert answer.status_code == 403, answer.content
    (error,) = answer.json()["errors"]
    assert error["code"] == "Unauthorized"
    return error


@every_row
@pytest.mark.parametrize("to_group", [False, True], ids=["himself", "by a group"])
def test_user_with_the_right_creates_changes_and_deletes(
    bob, grant, values, on, kind, right, names, to_group
):
    grant(on, right, to_group=to_group)

    made = bob.post(f"/{kind}/", body_of(on, names, values))

    assert made.status_code == 201, made.json()
    assert bob.get(made["Location"])["Allow"] == "GET, PUT, DELETE, HEAD"
    assert bob.put(made["Location"], made.json()).status_code == 204
    assert bob.delete(made["Location"]).status_code == 204
    assert bob.get(made["Location"]).status_code == 404


@every_row
def test_member_without_the_right_can_read_and_gets_the_missing_right(
    bob, make, person, member, values, on, kind, right, names
):
    body = body_of(on, names, values)
    own = make(kind, **body)

    refused = [
        rejection(bob.post(f"/{kind}/", body)),
        rejection(bob.put(own["uri"], {"name": "Mine"})),
        rejection(bob.delete(own["uri"])),
    ]

    read = bob.get(own["uri"])
    assert read.json() == own
    assert read["Allow"] == "GET, HEAD"
    for error in refused:
        assert right in error["title"]
        assert error["details"]["right"] == right
        assert error["details"]["object"] == values[on]
        assert error["details"]["granted_by"] == [person.uri]


@every_row
def test_other_rights_do_not_permit_creation(bob, grant, values, on, kind, right, names):
    others = {(o, r) for o, _, r, _ in TABLE} - {(on, right)}
    for other_on, other in others:
        grant(other_on, other, to_group=False)

    error = rejection(bob.post(f"/{kind}/", body_of(on, names, values)))

    assert error["details"]["right"] == right


@every_row
def test_stranger_can_neither_create_nor_read_nor_change(bob, make, values, on, kind, right, names):
    body = body_of(on, names, values)
    own = make(kind, **body)

    assert right in rejection(bob.post(f"/{kind}/", body))["title"]
    assert bob.get(own["uri"]).status_code == 404
    assert bob.put(own["uri"], {"name": "Mine"}).status_code == 404
    assert bob.delete(own["uri"]).status_code == 404


@every_row
def test_right_is_checked_before_field_validation(bob, values, on, kind, right, names):
    for parent in (values[on], f"http://erp.platform.test/{on}/{NOWHERE}/", "nonsense"):
        answer = bob.post(f"/{kind}/", {on: parent, "nonsense": 1, "name": 5})

        assert right in rejection(answer)["title"]


@every_row
def test_administrators_need_no_right(client_of, operator, values, on, kind, right, names):
    root = client_of("erp", operator)

    made = root.post(f"/{kind}/", body_of(on, names, values))

    assert made.status_code == 201
    assert root.put(made["Location"], {}).status_code == 204
    assert root.delete(made["Location"]).status_code == 204


@every_row
def test_platform_services_can_neither_read_nor_create_nor_delete(
    bob, make, stranger, values, on, kind, right, names
):
    body = body_of(on, names, values)
    own = make(kind, **body)
    stranger.is_platform_service = True
    stranger.save()

    assert bob.get(own["uri"]).status_code == 404
    rejection(bob.post(f"/{kind}/", body))
    assert bob.delete(own["uri"]).status_code == 404


def test_unknown_parent_is_reported_to_administrators(client_of, operator):
    gone = f"http://erp.platform.test/bureau/{NOWHERE}/"

    answer = client_of("erp", operator).post("/material/", {"bureau": gone, "name": "PA"})

    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert (error["code"], error["field"]) == ("resource-not-found", "bureau")


@pytest.mark.parametrize("kind", OF_MEMBERS)
def test_kinds_without_a_right_can_be_created_by_members_only(bob, bureau, kind):
    gone = f"http://erp.platform.test/bureau/{NOWHERE}/"
    for parent in (bureau["uri"], gone):
        error = rejection(bob.post(f"/{kind}/", {"bureau": parent, "nonsense": 1}))

        assert "members" in error["title"]


def test_member_creates_changes_and_deletes_orders(bob, bureau, member):
    made = bob.post("/order/", {"bureau": bureau["uri"], "name": "First"})

    assert made.status_code == 201
    assert bob.put(made["Location"], {"name": "Second"}).status_code == 204
    assert bob.delete(made["Location"]).status_code == 204


@pytest.mark.parametrize(("on", "right"), [("bureau", "shipping.all"), ("location", "stock.all")])
@pytest.mark.parametrize("to_group", [False, True], ids=["himself", "by a group"])
def test_any_right_on_bureau_or_location_permits_reading_the_whole_bureau(
    bob, client_of, make, person, stranger, values, bureau, location, printer, on, right, to_group
):
    holder = stranger.uri
    if to_group:
        group = client_of("users", person).post("/groups/", {"name": "Friends"}).json()
        joined = {"group": group["uri"], "user": holder}
        assert client_of("users", person).post("/memberships/", joined).status_code == 201
        holder = group["uri"]
    body = {"holder": holder, "namespace": "erp", "object": values[on], "right": right}
    assert client_of("users", person).post("/permissions/", body).status_code == 201

    assert bob.get(bureau["uri"]).json() == bureau
    assert bob.get("/printer/").json()["resources"] == [printer]
    # Reading like a member is not being one.
    rejection(bob.post("/order/", {"bureau": bureau["uri"], "name": "Mine"}))


def test_only_administrators_create_change_and_delete_features(
    bob, client_of, make, person, operator, bureau
):
    root, ada = client_of("erp", operator), client_of("erp", person)
    body = {"bureau": bureau["uri"], "name": "premium-packer", "enabled": True}
    # No right stands for it, also none that sounds like it.
    wish = {"holder": person.uri, "namespace": "erp", "object": bureau["uri"]}
    client_of("users", person).post("/permissions/", {**wish, "right": "feature.all"})

    refused = rejection(ada.post("/feature/", body))
    made = make("feature", client=root, **body)

    assert refused["title"] == "Only an administrator makes, changes and deletes a feature."
    assert ada.get(made["uri"]).json() == made
    rejection(ada.put(made["uri"], {"enabled": False}))
    rejection(ada.delete(made["uri"]))
    assert bob.put(made["uri"], {"enabled": False}).status_code == 404
    assert root.post("/feature/", body).json()["errors"][0]["code"] == "resource-exists"
    assert root.put(made["uri"], {"enabled": False}).status_code == 204
    assert root.delete(made["uri"]).status_code == 204
