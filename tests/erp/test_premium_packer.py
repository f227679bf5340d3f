"""The feature premium-packer of a bureau, which its printer types need for that packer."""

PREMIUM = {"build_packer_type": "premium_packer"}


def test_premium_packer_requires_the_enabled_feature(erp, make, root, bureau, printer_type):
    body = {
        "bureau": bureau["uri"],
        "name": "SLS 500",
        "build_volume": {"x": 1, "y": 1, "z": 1},
        **PREMIUM,
    }

    for answer in (erp.post("/printer-type/", body), erp.put(printer_type["uri"], PREMIUM)):
        assert answer.status_code == 409
        (error,) = answer.json()["errors"]
        assert error["code"] == "feature-not-enabled"
        assert error["details"] == {"feature": "premium-packer", "bureau": bureau["uri"]}
    feature = make("feature", root, bureau=bureau["uri"], name="premium-packer")
    assert erp.put(printer_type["uri"], PREMIUM).status_code == 409  # there, and not enabled
    assert root.put(feature["uri"], {"enabled": True}).status_code == 204
    assert erp.put(printer_type["uri"], PREMIUM).status_code == 204
    assert erp.post("/printer-type/", body).status_code == 201


def test_premium_packer_feature_of_another_bureau_does_not_count(erp, make, root, printer_type):
    other = make("bureau", name="Others")
    make("feature", root, bureau=other["uri"], name="premium-packer", enabled=True)

    assert erp.put(printer_type["uri"], PREMIUM).status_code == 409


def test_disabling_the_premium_packer_feature_keeps_existing_printer_types(
    erp, make, root, bureau, printer_type
):
    feature = make("feature", root, bureau=bureau["uri"], name="premium-packer", enabled=True)
    erp.put(printer_type["uri"], PREMIUM)
    assert root.put(feature["uri"], {"enabled": False}).status_code == 204

    row = erp.get(printer_type["uri"]).json()

    assert row["build_packer_type"] == "premium_packer"
    assert erp.put(printer_type["uri"], row | {"name": "Renamed"}).status_code == 204
    assert erp.put(printer_type["uri"], {"build_packer_type": "box_packer"}).status_code == 204
    assert erp.put(printer_type["uri"], PREMIUM).status_code == 409
