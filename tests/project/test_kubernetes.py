"""The manifests are what a cluster takes, and say of the platform what is so."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.conf import settings
from django.db import connection
from django.test import Client

from core.queue.depth import depths
from ops.programs import PARTS, QUEUES
from tests.core.queue.test_queue_depth import measured_job

FOLDER = Path(settings.BASE_DIR) / "docs" / "kubernetes"
VERSION = "1.31"  # the oldest that is kept up to date
# What only a cluster with the operator of that name knows.
OTHERS = ("kustomize.config.k8s.io/", "keda.sh/")
DOCUMENTS = [
    (f"{path.name}: {document['kind']} {document['metadata']['name']}", document)
    for path in sorted(FOLDER.glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text())
    if not document["apiVersion"].startswith(OTHERS)
]


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text())


def pods() -> list[tuple[str, dict]]:
    return [
        (name, document["spec"]["template"]["spec"])
        for name, document in DOCUMENTS
        if "template" in document.get("spec", {})
    ]


@pytest.mark.parametrize(("name", "document"), DOCUMENTS, ids=[name for name, _ in DOCUMENTS])
def test_kubernetes_manifest_is_valid(name, document):
    kubernetes_validate.validate(document, VERSION, strict=True)


def test_kubernetes_validation_rejects_unknown_field():
    document = {**DOCUMENTS[0][1], "metaData": {}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(document, VERSION, strict=True)


def test_kustomization_lists_all_manifests_except_keda():
    files = {path.name for path in FOLDER.glob("*.yaml")} - {"kustomization.yaml", "keda.yaml"}

    assert set(read("kustomization.yaml")["resources"]) == files


def test_manifests_use_existing_parts_settings_and_queues():
    known = (Path(settings.BASE_DIR) / "docs" / "settings.md").read_text()
    (told,) = (document["data"] for _, document in DOCUMENTS if document["kind"] == "ConfigMap")
    assert [name for name in told if f"`{name}`" not in known] == []
    queues: list[str] = []
    for _, pod in pods():
        (container,) = pod["containers"]
        words = container["command"][2:]
        assert words == ["migrate"] or (words[:2] == ["up", "--parts"] and words[2] in PARTS)
        for variable in container["env"]:
            assert f"`{variable['name']}`" in known
            if variable["name"] == "SLOTS":
                queues += [item.partition("=")[0] for item in variable["value"].split(",")]
    assert sorted(queues) == sorted(QUEUES)  # and nothing waits for ever


def test_kubernetes_probes_use_existing_endpoints_and_host(transactional_db):
    asked = set()
    probed = {name for name, pod in pods() if "readinessProbe" in pod["containers"][0]}
    assert len(probed) == len(pods()) - 1  # the job that migrates ends by itself
    for _, pod in pods():
        for name, probe in pod["containers"][0].items():
            if name.endswith("Probe") and "exec" in probe:
                assert probe["exec"]["command"] == ["/srv/bin/check-health"]
            elif name.endswith("Probe"):
                asked.add(probe["httpGet"]["path"])
                (host,) = (one["value"] for one in probe["httpGet"]["httpHeaders"])
                assert host == read_settings()["PARENT_HOST"]

    assert asked == {"/health/", "/ready/"}
    for path in asked:
        assert Client(SERVER_NAME=settings.PARENT_HOST).get(path).status_code in (200, 503)


def read_settings() -> dict[str, str]:
    return next(document["data"] for _, document in DOCUMENTS if document["kind"] == "ConfigMap")


def test_pod_termination_grace_period_exceeds_its_longest_job(settings):
    grace = {name: pod["terminationGracePeriodSeconds"] for name, pod in pods()}

    assert grace["workers.yaml: Deployment workers-slices"] > settings.PLATE_TIME
    assert grace["workers.yaml: Deployment workers-meshes"] > settings.RENDER_TIME
    assert grace["workers.yaml: Deployment workers-rest"] > settings.PACKING_TIME


def test_keda_query_agrees_with_queue_depth(db):
    for cost in (2.5, 90.0):
        measured_job.send_with_options(cost=cost)
    measured_job.send_with_options(cost=5.0, delay=60_000)
    scaled, _ = yaml.safe_load_all((FOLDER / "keda.yaml").read_text())
    (trigger,) = scaled["spec"]["triggers"]

    with connection.cursor() as cursor:
        cursor.execute(trigger["metadata"]["query"])
        (seconds,) = cursor.fetchone()

    assert seconds == sum(depth.seconds for depth in depths().values()) == 92.5
