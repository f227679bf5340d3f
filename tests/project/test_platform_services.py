"""What the account of a platform service sees on every host, and what it does not."""

import base64

import pytest
from django.conf import settings
from django.core.management import call_command

from apps.erp.models import Bureau
from apps.integrations.models import Operation, Service
from apps.payment.models import Charge, Consent, Invoice, PaymentMethod
from apps.search.models import IndexedModel
from apps.slicing.models import Config, Constraint, Gcode, Slice
from apps.users.models import Group, Permission, User
from apps.warehouse.models import Model
from core.files import blobs

BARE = settings.PARENT_HOST
READ = [("models", "model"), ("slicing", "config"), ("slicing", "slice")]
HIDDEN = [
    ("slicing", "constraint"),
    ("slicing", "gcode"),
    ("search", "indexed-model"),
    ("integrations", "operation"),
    ("payment", "charge"),
    ("payment", "consent"),
    ("payment", "invoice"),
    ("payment", "payment-method"),
    ("erp", "bureau"),
    ("users", "groups"),
]


@pytest.fixture
def service(db) -> User:
    return User.objects.create_user("billing", is_platform_service=True)


@pytest.fixture
def belongings(person) -> dict[str, str]:
    """A resource of Ada's of each kind: the URI, by its place in paths."""
    with blobs.scratch_dir() as folder:
        (folder / "file").write_bytes(b"G1 X1")
        content = blobs.create_row(*blobs.store_file(folder / "file"))
    own = {"owner": person}
    model = Model.objects.create(name="part", **own)
    config = Config.objects.create(engine="cura", parameters={}, content_id=content, **own)
    offer = Service.objects.create(
        name="Mender", type="healing", service_url="http://mender.example/"
    )
    group = Group.objects.create(creator=person)
    invoice = Invoice.objects.create(
        month="2026-11-01", currency="EUR", due="2026-12-15T00:00Z", **own
    )
    rows = {
        "model": model,
        "config": config,
        "slice": Slice.objects.create(model_uri=model.uri, config=config, **own),
        "constraint": Constraint.objects.create(name="rule", parameters={}, **own),
        "gcode": Gcode.objects.create(**own),
        "indexed-model": IndexedModel.objects.create(model_uri=model.uri, **own),
        "operation": Operation.objects.create(
            service=offer, model_uri=model.uri, parameters={}, **own
        ),
        "charge": Charge.objects.create(
            namespace="slicing",
            action="slice",
            type="per-use",
            source=model.uri,
            amount=1,
            currency="EUR",
            **own,
        ),
        "consent": Consent.objects.create(
            namespace="slicing", action="slice", consented=True, **own
        ),
        "invoice": invoice,
        "payment-method": PaymentMethod.objects.create(type="manual", **own),
        "bureau": Bureau.objects.create(name="Parts", group=group.pk, creator=person),
        "groups": group,
    }
    return {kind: row.uri for kind, row in rows.items()}


def test_platform_service_reads_only_models_configs_and_slices(client_of, service, belongings):
    clients = {host: client_of(host, service) for host, _ in (*READ, *HIDDEN)}

    seen = {kind: clients[host].get(belongings[kind]).status_code for host, kind in READ + HIDDEN}
    listed = {
        kind: clients[host].get(f"/{kind}/").json()["meta"]["count"] for host, kind in READ + HIDDEN
    }

    read, hidden = [kind for _, kind in READ], [kind for _, kind in HIDDEN]
    assert seen == dict.fromkeys(read, 200) | dict.fromkeys(hidden, 404)
    assert listed == dict.fromkeys(read, 1) | dict.fromkeys(hidden, 0)


def test_platform_service_cannot_delete_readable_resources(client_of, service, belongings):
    for host, kind in READ:
        assert client_of(host, service).delete(belongings[kind]).status_code == 403


@pytest.fixture
def rights(person, stranger, belongings) -> dict[str, Permission]:
    """What others were granted, by the right."""

    def grant(right: str) -> Permission:
        answer = {"holder": stranger.uri, "namespace": "models", "object": belongings["model"]}
        return Permission.objects.create(
            **answer,
            right=right,
            holder_uuid=stranger.pk,
            object_uuid=belongings["model"].split("/")[-2],
            created_by=person,
        )

    return {right: grant(right) for right in ("read", "write")}


def test_platform_service_checks_rights_but_lists_only_by_exact_filters(
    client_of, service, stranger, belongings, rights
):
    users = client_of("users", service)

    def listed(**filters) -> int:
        asked = {f"filter[{name}]": value for name, value in filters.items()}
        return users.get("/permissions/", asked).json()["meta"]["count"]

    part = belongings["model"]
    assert listed(namespace="models", holder=stranger.uri) == 2
    assert listed(namespace="models", object=part, right="read") == 1
    assert listed() == listed(namespace="models") == listed(holder=stranger.uri) == 0
    assert users.get(rights["read"].uri).status_code == 404
    assert users.delete(rights["read"].uri).status_code == 404
    for path in (
        f"/permissions/who-can/?namespace=models&right=read&object={part}",
        f"/permissions/what-can/?holder={stranger.uri}",
    ):
        assert users.get(path).json()["resources"] == []
    question = {"holder": stranger.uri, "namespace": "models", "object": part, "right": "write"}
    assert users.post("/permissions/check/", question).json()["allowed"] is True


def test_platform_service_manages_permissions_that_it_granted(
    client_of, service, stranger, belongings
):
    users = client_of("users", service)
    body = {"holder": stranger.uri, "namespace": "models", "right": "read"}

    made = users.post("/permissions/", {**body, "object": belongings["model"]})

    assert made.status_code == 201
    uri = made["Location"]
    assert [one["uri"] for one in users.get("/permissions/").json()["resources"]] == [uri]
    assert users.put(uri, {"right": "write"}).status_code == 204
    assert users.get(uri).json()["right"] == "write"
    assert users.delete(uri).status_code == 204


@pytest.fixture
def with_token(client_of):
    """`with_token("uuid:secret")`: a client of a host that signs with an API token."""

    def make(pair: str, host: str = "users"):
        basic = base64.b64encode(pair.encode()).decode()
        return client_of(host, HTTP_AUTHORIZATION=f"Basic {basic}")

    return make


def printed_token(capsys, *arguments: str) -> str:
    call_command("create_service_account", "prometheus", *arguments)
    return capsys.readouterr().out.strip()


def test_metrics_token_reads_only_metrics(with_token, capsys, db):
    pair = printed_token(capsys, "--metrics")

    assert with_token(pair).get("/metrics", SERVER_NAME=BARE).status_code == 200
    for host, kind in [*READ, *HIDDEN, ("users", "sessions"), ("data", "model")]:
        answer = with_token(pair, host).get(f"/{kind}/")
        assert (host, answer.status_code) == (host, 403)
        assert "metrics" in answer.json()["errors"][0]["title"]


def test_platform_service_token_without_metrics_scope_reads_no_metrics(with_token, capsys, db):
    pair = printed_token(capsys)

    assert with_token(pair).get("/metrics", SERVER_NAME=BARE).status_code == 403


@pytest.fixture
def signed_in(client_of):
    """`signed_in(user)`: the users host, in a fresh session."""

    def make(user: User):
        client = client_of("users")
        body = {"username": user.username, "password": "correct horse battery"}
        assert client.post("/sessions/", body).status_code == 201
        return client

    return make


def test_metrics_token_of_administrator_loses_access_without_staff_status(
    signed_in, with_token, operator
):
    token = signed_in(operator).post("/api_tokens/", {"name": "m", "namespaces": ["metrics"]})
    assert token.status_code == 201
    client = with_token(f"{token.json()['uuid']}:{token.json()['secret']}")

    assert client.get("/metrics", SERVER_NAME=BARE).status_code == 200
    assert client.get("/sessions/").status_code == 403
    User.objects.filter(pk=operator.pk).update(is_staff=False)
    assert client.get("/metrics", SERVER_NAME=BARE).status_code == 403


def test_metrics_scope_is_exclusive_and_restricted_to_administrators(signed_in, operator, person):
    both = signed_in(operator).post(
        "/api_tokens/", {"name": "m", "namespaces": ["metrics", "models"]}
    )
    own = signed_in(person).post("/api_tokens/", {"name": "m", "namespaces": ["metrics"]})

    assert (both.status_code, both.json()["errors"][0]["field"]) == (400, "namespaces")
    assert (own.status_code, own.json()["errors"][0]["code"]) == (403, "Unauthorized")
