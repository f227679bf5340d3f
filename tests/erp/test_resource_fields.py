"""The fields of each kind: which there are, what they take, what they are when nothing is said."""

import pytest

COMMON = {"uri", "created", "updated"}
PERSON = {"name", "phone"}
# Kind -> what a creation needs beside its parent; all fields, each with its value if not given.
KINDS = {
    "location": (
        ["name"],
        {
            "bureau": ...,
            "phone": None,
            "address": None,
            "contact": None,
            "attended_from": None,
            "attended_until": None,
            "quiet_from": None,
            "quiet_until": None,
        },
    ),
    "manufacturer": (
        ["name"],
        {
            "bureau": ...,
            "address": None,
            "notes": None,
            "contact": {"name": None, "phone": None},
            "support": {"name": None, "phone": None},
        },
    ),
    "material": (
        ["name"],
        {
            "bureau": ...,
            "description": None,
            "color": None,
            "type": "base",
            "filament_type": None,
            "manufacturer": None,
            "density": None,
            "powder_density": None,
            "cost": None,
            "post_processing_seconds": None,
            "third_party_fulfillment": False,
            "reorder_point": None,
            "stock_level": "ok",
        },
    ),
    "printer-type": (
        ["name", "build_volume"],
        {
            "bureau": ...,
            "description": None,
            "manufacturer": None,
            "technology": None,
            "build_packer_type": "box_packer",
            "minimum_packing_distance": 1,
            "allowed_orientations": "free",
            "packing_mode": "volume",
            "config": None,
            "preset": None,
            "print_preset": None,
            "printer_gcode": None,
            "engine": None,
            "filaments": [],
            "firmware": None,
            "slice_runs": False,
            "plan_runs": False,
            "refresh_ratio": None,
            "time_factor": 1,
            "time_per_run": 0,
            "supports": "auto",
            "infill": None,
            "layer_height": None,
            "materials": [],
            "power": None,
            "running_cost_per_hour": None,
            "material_cost_scale_factor": 1,
            "print_cost_scale_factor": 1,
            "constant_overhead": None,
        },
    ),
    "invitation": (["role"], {"bureau": ..., "name": None, "expires": None, "accepted_by": None}),
    "agent": (
        ["name"],
        {"bureau": ..., "location": ..., "version": None, "seen": None, "status": "never-seen"},
    ),
    "printer": (
        ["printer_type", "name"],
        {
            "bureau": ...,
            "location": ...,
            "status": "unknown",
            "modeler": None,
            "driver": None,
            "agent": None,
            "plate": "unknown",
            "maintenance": False,
            "auto_start": False,
            "timelapse": False,
            "loaded": [],
            "attempt": None,
            "machine": None,
            "camera": None,
            "due_maintenance": [],
        },
    ),
    "post-processor-type": (
        ["name"],
        {
            "bureau": ...,
            "description": None,
            "manufacturer": None,
            "materials": [],
            "cost": None,
            "duration": None,
        },
    ),
    "post-processor": (
        ["post_processor_type", "name"],
        {"bureau": ..., "location": ..., "duration": None},
    ),
    "stock": (
        ["material"],
        {
            **dict.fromkeys(("bureau", "location"), ...),
            **dict.fromkeys(("status", "lot", "supplier", "price", "initial", "remaining")),
            **dict.fromkeys(("received", "opened", "expires", "spoolman_id")),
            **{"quantity": 1, "unit": "g", "reserved": 0, "level": "ok"},
        },
    ),
    "shipping": (["name"], {"bureau": ..., "description": None, "region": None, "cost": None}),
    "service-provider": (["name"], {"bureau": ..., "description": None}),
    "third-party": (["name"], {"bureau": ..., "description": None}),
    "currency-conversion": (["currency", "value"], {"bureau": ...}),
    "workflow": (["name"], {"bureau": ..., "steps": []}),
    "process-step": (
        ["step_position", "process_type"],
        {"bureau": ..., "workflow": ..., "notes": None},
    ),
    "model-library": (
        ["name", "model"],
        {"bureau": ..., "description": None, "material": None, "workflow": None},
    ),
    "feature": (["name"], {"bureau": ..., "description": None, "enabled": False}),
    "membership-bureau": (["user"], {"bureau": ...}),
    "membership-location": (["user"], {"bureau": ..., "location": ...}),
}
PARENTS = {
    "agent": "location",
    "printer": "location",
    "post-processor": "location",
    "stock": "location",
    "membership-location": "location",
    "process-step": "workflow",
}


@pytest.fixture
def values(make, client_of, person, stranger, bureau, location, printer_type) -> dict:
    """A value for whatever a creation needs."""
    finishing = make("post-processor-type", bureau=bureau["uri"], name="Dyeing")
    part = client_of("models", person).post("/model/", {"name": "part"}).json()
    return {
        "bureau": bureau["uri"],
        "location": location["uri"],
        "workflow": make("workflow", bureau=bureau["uri"], name="Print")["uri"],
        "printer_type": printer_type["uri"],
        "process_type": printer_type["uri"],
        "post_processor_type": finishing["uri"],
        "material": make("material", bureau=bureau["uri"], name="PA 12")["uri"],
        "model": part["uri"],
        "user": stranger.uri,
        "role": "sales",
        "name": "New",
        "step_position": 1,
        "currency": "USD",
        "value": 1.5,
        "build_volume": {"x": 100.5, "y": 100, "z": 0.1},
    }


def entries(answer) -> set[tuple[str, str]]:
    assert answer.status_code == 400, answer.content
    return {(error["code"], error["field"]) for error in answer.json()["errors"]}


@pytest.mark.parametrize("kind", KINDS)
def test_kind_has_its_fields_with_their_defaults(root, values, kind):
    needed, defaults = KINDS[kind]
    parent = PARENTS.get(kind, "bureau")
    body = {name: values[name] for name in (parent, *needed)}

    made = root.post(f"/{kind}/", body)

    assert made.status_code == 201, made.json()
    told = made.json()
    assert set(told) == COMMON | {parent, *needed, *defaults}
    assert {name: told[name] for name in body} == body
    expected = {name: value for name, value in defaults.items() if value is not ...}
    assert {name: told[name] for name in expected} == expected
    assert told["bureau"] == values["bureau"]
    assert root.get(made["Location"]).json() == told
    assert root.get(f"/{kind}/").json()["resources"][0] == told
    assert root.put(made["Location"], told).status_code == 204


@pytest.mark.parametrize("kind", KINDS)
def test_missing_and_unknown_fields_of_a_creation_are_reported_together(root, values, kind):
    needed, _ = KINDS[kind]
    parent = PARENTS.get(kind, "bureau")

    missing = entries(root.post(f"/{kind}/", {"nonsense": 1}))

    whole = {("missing-parameter", name) for name in (parent, *needed)}
    assert missing == whole | {("request-validation-error", "nonsense")}


@pytest.mark.parametrize("kind", KINDS)
def test_parent_of_a_resource_cannot_be_changed(root, make, values, kind):
    needed, _ = KINDS[kind]
    parent = PARENTS.get(kind, "bureau")
    own = root.post(f"/{kind}/", {name: values[name] for name in (parent, *needed)}).json()
    other = make("bureau", name="Others")
    if parent != "bureau":
        other = make(parent, bureau=other["uri"], name="Far")

    faults = entries(root.put(own["uri"], {parent: other["uri"]}))

    assert faults == {("cannot-set-property", parent)}


OUT_OF_BOUNDS = "property-value-not-in-allowed-values"


@pytest.mark.parametrize(
    ("kind", "field", "value", "code"),
    [
        ("printer-type", "build_volume.x", 0, OUT_OF_BOUNDS),
        ("printer-type", "build_volume.y", 10_000.1, OUT_OF_BOUNDS),
        ("printer-type", "build_volume.z", "tall", "type-validation-error"),
        ("printer-type", "minimum_packing_distance", -0.1, OUT_OF_BOUNDS),
        ("printer-type", "minimum_packing_distance", 50.1, OUT_OF_BOUNDS),
        ("printer-type", "build_packer_type", "magic", OUT_OF_BOUNDS),
        ("printer-type", "allowed_orientations", "any", OUT_OF_BOUNDS),
        ("printer-type", "packing_mode", "line", OUT_OF_BOUNDS),
        ("printer-type", "running_cost_per_hour", -1, OUT_OF_BOUNDS),
        ("printer-type", "materials", ["nothing"], "resource-not-found"),
        ("printer-type", "materials", "nothing", "type-validation-error"),
        ("printer-type", "config", "http://slicing.platform.test/config/1/", "resource-not-found"),
        ("material", "color", "red", OUT_OF_BOUNDS),
        ("material", "color", "#ff88001", OUT_OF_BOUNDS),
        ("material", "type", "gas", OUT_OF_BOUNDS),
        ("material", "density", 0, OUT_OF_BOUNDS),
        ("material", "cost", "free", "type-validation-error"),
        ("material", "name", "", "missing-parameter"),
        ("material", "name", 5, "type-validation-error"),
        ("material", "name", "a\0b", "type-validation-error"),
        ("material", "name", "a" * 201, OUT_OF_BOUNDS),
        ("material", "manufacturer", "nothing", "resource-not-found"),
        ("material", "manufacturer", 5, "resource-not-found"),
        ("material", "third_party_fulfillment", "maybe", "type-validation-error"),
        ("stock", "quantity", -1, OUT_OF_BOUNDS),
        ("printer", "status", "asleep", OUT_OF_BOUNDS),
        ("location", "contact", "nobody", "resource-not-found"),
        ("currency-conversion", "currency", "XXQ", OUT_OF_BOUNDS),
        ("currency-conversion", "value", 0, OUT_OF_BOUNDS),
        ("process-step", "step_position", -1, OUT_OF_BOUNDS),
        ("process-step", "step_position", 2**31, OUT_OF_BOUNDS),
        ("process-step", "process_type", "nothing", "resource-not-found"),
        ("model-library", "model", "nothing", "resource-not-found"),
    ],
)
def test_invalid_value_of_a_field_is_rejected(root, values, kind, field, value, code):
    needed, _ = KINDS[kind]
    body = {name: values[name] for name in (PARENTS.get(kind, "bureau"), *needed)}
    outer, _, part = field.partition(".")
    body[outer] = values[outer] | {part: value} if part else value

    assert entries(root.post(f"/{kind}/", body)) == {(code, field)}


def test_bureau_has_its_fields_and_defaults_to_euro(make):
    made = make("bureau", name="Parts")

    contact = {"email", "phone", "address", "website", "language"}
    contact |= {"vat_number", "legal_notice"}
    brand = {"introduction", "accent", "accent_contrast", "style", "logo"}
    own = {"name", "description", "group", "currency", "order_banner", "electricity_price"}
    own |= {"automatic_quotes", "automatic_invoices"}
    assert set(made) == COMMON | own | contact | brand
    assert (made["description"], made["currency"]) == (None, "EUR")


def test_bureau_rejects_an_unknown_currency(erp):
    answer = erp.post("/bureau/", {"name": "Parts", "currency": "EURO"})

    assert entries(answer) == {(OUT_OF_BOUNDS, "currency")}


def test_multipart_form_is_read_like_json(erp, bureau, make):
    first = make("material", bureau=bureau["uri"], name="PA 12")
    body = {
        "bureau": bureau["uri"],
        "name": "SLS",
        "build_volume.x": "10",
        "build_volume.y": "20",
        "build_volume.z": "30.5",
        "materials": [first["uri"]],
    }

    made = erp.post("/printer-type/", body, format="multipart")

    assert made.status_code == 201, made.json()
    assert made.json()["build_volume"] == {"x": 10, "y": 20, "z": 30.5}
    assert made.json()["materials"] == [first["uri"]]


def test_lists_are_filtered_searched_and_sorted(erp, make, bureau, location, printer_type):
    other = make("bureau", name="Others")
    names = ["PA 12", "PA 11", "Steel"]
    for name in names:
        make("material", bureau=bureau["uri"], name=name, density=len(name), color="#102030")
    make("material", bureau=other["uri"], name="PA 6")

    def found(**query) -> list[str]:
        answer = erp.get("/material/", {"filter[bureau]": bureau["uri"], **query})
        return [row["name"] for row in answer.json()["resources"]]

    assert found() == ["Steel", "PA 11", "PA 12"]
    assert found(sort="name") == ["PA 11", "PA 12", "Steel"]
    assert found(**{"search[name]": "pa 1"}) == ["PA 11", "PA 12"]
    assert found(**{"filter[name]": "Steel,PA 12"}) == ["Steel", "PA 12"]
    assert found(**{"filter[color]": "#102030", "filter[type]": "support"}) == []
    assert erp.get("/printer/", {"filter[location]": location["uri"]}).json()["resources"] == []
    volume = erp.get("/printer-type/?filter[build_volume.z]>500").json()["resources"]
    assert volume == [printer_type]
    unknown = erp.get("/material/", {"filter[size]": "1", "sort": "taste"})
    assert {error["field"] for error in unknown.json()["errors"]} == {"filter[size]", "sort"}


def test_material_used_by_a_printer_type_cannot_be_deleted(erp, make, bureau, printer_type):
    material = make("material", bureau=bureau["uri"], name="PA 12")
    erp.put(printer_type["uri"], {"materials": [material["uri"]]})

    answer = erp.delete(material["uri"])

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["details"] == {"used_by": [printer_type["uri"]]}
    assert erp.put(printer_type["uri"], {"materials": []}).status_code == 204
    assert erp.delete(material["uri"]).status_code == 204


def test_model_library_shares_its_model_with_bureau_members(
    client_of, make, values, bureau, member, person
):
    theirs = client_of("models", member)
    assert theirs.get(values["model"]).status_code == 404

    make("model-library", bureau=bureau["uri"], name="Bracket", model=values["model"])

    assert theirs.get(values["model"]).status_code == 200


def test_model_library_rejects_a_model_its_creator_cannot_read(client_of, values, bureau, member):
    body = {"bureau": bureau["uri"], "name": "Bracket", "model": values["model"]}

    faults = entries(client_of("erp", member).post("/model-library/", body))

    assert faults == {("resource-not-found", "model")}
