"""Limits: what an account may have, who says so, and what it hears beyond."""

import pytest
from django.conf import settings
from django.db import connection

from apps.users.models import Group, Membership
from core.files import usage
from core.models import Limit, Usage
from core.queue import quotas
from core.web import rate_limits

pytestmark = pytest.mark.django_db


@pytest.fixture
def limit(monkeypatch):
    """`limit(name, most)`: by the setting."""
    return lambda name, most: monkeypatch.setitem(settings.LIMITS, name, most)


@pytest.fixture
def models(client_of, person):
    return client_of("models", person)


@pytest.fixture
def limit_of(client_of, person):
    """`told(name)`: what the account's page says of a limit."""

    def read(name: str) -> dict:
        answer = client_of("users", person).get(f"/users/{person.pk}/limits/")
        (found,) = [one for one in answer.json()["limits"] if one["limit"] == name]
        return found

    return read


def fault(answer, status: int) -> dict:
    assert answer.status_code == status, answer.content
    (error,) = answer.json()["errors"]
    return error


def test_waiting_jobs_are_limited_until_one_is_done(
    models, person, limit, processed, cube, run_jobs, limit_of
):
    part = processed(cube)
    limit("waiting.meshes", 2)
    order = {"transformations": [{"type": "auto-translate"}]}
    path = part["uri"] + "transformation/"

    answers = [models.post(path, order) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [201, 201, 429]
    error = fault(answers[2], 429)
    assert error["code"] == "rate-limited"
    assert error["details"] == {"limit": "waiting.meshes", "most": 2, "used": 2}
    assert 1 <= int(answers[2]["Retry-After"]) <= 600
    assert limit_of("waiting.meshes") == {"limit": "waiting.meshes", "most": 2, "used": 2}
    run_jobs()
    assert models.post(path, order).status_code == 201


def test_rejected_job_creates_no_model_and_no_message(models, limit, processed, cube, queued):
    part = processed(cube)
    limit("waiting.meshes", 0)
    before = models.get("/model/").json()["meta"]["count"]

    answer = models.post(
        part["uri"] + "transformation/", {"transformations": [{"type": "auto-translate"}]}
    )

    assert answer.status_code == 429
    assert models.get("/model/").json()["meta"]["count"] == before
    assert "transform_model" not in [name for name, _ in queued()]


def test_bytes_usage_follows_uploads_and_deletions(models, person, upload, cube, limit_of):
    created = [models.post("/model/", {"name": name}).json() for name in "ab"]
    for model in created:
        upload(model, cube)

    assert limit_of("bytes")["used"] == 2 * len(cube)  # one stored file, of two models
    models.delete(created[0]["uri"])
    assert limit_of("bytes")["used"] == len(cube)
    assert Usage.objects.get().account == person.pk


def test_upload_beyond_the_bytes_quota_is_rejected_with_a_remedy(
    models, upload, cube, limit, limit_of
):
    first, second = (models.post("/model/", {"name": name}).json() for name in "ab")
    limit("bytes", len(cube) + 10)
    upload(first, cube)

    with pytest.raises(quotas.QuotaExceeded) as refused:
        upload(second, cube)

    assert refused.value.details == {
        "limit": "bytes",
        "most": len(cube) + 10,
        "used": len(cube),
        "free_by": "deleting models, gcode or slices",
    }
    models.delete(first["uri"])
    upload(second, cube)
    assert limit_of("bytes")["used"] == len(cube)


def test_models_per_day_are_limited(models, limit, limit_of):
    limit("models_day", 1)

    answers = [models.post("/model/", {"name": name}) for name in "ab"]

    assert [answer.status_code for answer in answers] == [201, 429]
    assert limit_of("models_day") == {"limit": "models_day", "most": 1, "used": 1}


def test_requests_are_rate_limited_per_account_and_per_address(client_of, person, stranger, limit):
    limit("requests", 2)
    limit("requests_anonymous", 1)
    hasty, calm = client_of("models", person), client_of("models", stranger)
    nobody, body = client_of("users"), {"username": "x"}

    answers = [hasty.get("/model/") for _ in range(2 * rate_limits.BURST + 1)]
    strangers = [nobody.post("/users/", body, REMOTE_ADDR="192.0.2.1") for _ in range(5)]

    assert fault(answers[-1], 429)["details"]["limit"] == "requests"
    assert int(answers[-1]["Retry-After"]) >= 1
    assert {answer.status_code for answer in answers[:-1]} == {200}
    assert calm.get("/model/").status_code == 200
    assert [answer.status_code for answer in strangers] == [400] * rate_limits.BURST + [429]
    assert nobody.post("/users/", body, REMOTE_ADDR="192.0.2.2").status_code == 400


def test_token_bucket_refills():
    bucket = rate_limits.TokenBucket(2.0)

    taken = [bucket.take(10.0, 2.0) for _ in range(3)]
    bucket.at -= 1.0  # a second later

    assert taken[:2] == [0.0, 0.0]
    assert 0.0 < taken[2] <= 0.1
    assert bucket.take(10.0, 2.0) == 0.0


def test_limit_rows_override_the_setting_with_the_most_specific_first(person, limit):
    limit("sinks", 5)
    groups = [Group.objects.create(name=name) for name in "ab"]
    for group in groups:
        Membership.objects.create(user=person, group=group)
    found = [quotas.quota("sinks", person)]

    Limit.objects.create(limit="sinks", most=6)
    found.append(quotas.quota("sinks", person))
    Limit.objects.create(limit="sinks", holder=groups[0].pk, most=7)
    Limit.objects.create(limit="sinks", holder=groups[1].pk, most=9)
    found.append(quotas.quota("sinks", person))
    Limit.objects.create(limit="sinks", holder=person.pk, most=None)
    found.append(quotas.quota("sinks", person))

    assert found == [5, 6, 9, None]


def test_administrators_have_only_request_limits(operator, limit):
    limit("sinks", 0)

    found = quotas.all_of(operator)

    assert {name for name, most in found.items() if most is not None} == {
        "requests",
        "requests_anonymous",
    }


def test_limits_are_visible_to_their_account_and_to_administrators(
    client_of, person, stranger, operator
):
    path = f"/users/{person.pk}/limits/"

    answers = [client_of("users", user).get(path) for user in (person, operator, stranger)]

    assert [answer.status_code for answer in answers] == [200, 200, 404]
    names = [one["limit"] for one in answers[0].json()["limits"]]
    assert names == list(settings.LIMITS)


def test_admin_site_sets_limits_of_existing_users_only(client_of, operator, person):
    admin = client_of("admin")
    admin.post(
        "/login/", {"username": "root", "password": "correct horse battery"}, format="multipart"
    )

    nobody = admin.post(
        "/core/limit/add/",
        {"limit": "bytes", "holder": "00000000-0000-7000-8000-000000000001", "most": "1"},
        format="multipart",
    )
    made = admin.post(
        "/core/limit/add/",
        {"limit": "bytes", "holder": str(person.pk), "most": "1000", "note": "pays"},
        format="multipart",
    )
    listed = admin.get("/core/limit/?q=pays&limit=bytes")

    assert "the key of no user" in nobody.content.decode()
    assert made.status_code == 302
    assert quotas.quota("bytes", person) == 1000
    assert "ada" in listed.content.decode()


def test_bytes_usage_equals_the_sum_of_the_models(models, person, upload, cube, client_of):
    for name in "abc":
        upload(models.post("/model/", {"name": name}).json(), cube)

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(b.size) FROM warehouse_model m JOIN core_blob b ON b.sha256 = m.content_id"
            " WHERE m.owner_id = %s AND m.deleted IS NULL",
            [person.pk],
        )
        assert cursor.fetchone()[0] == Usage.objects.get(pk=person.pk).bytes


def test_usage_correction_repairs_wrong_sums(models, person, stranger, upload, cube):
    created = [models.post("/model/", {"name": name}).json() for name in "abc"]
    for model in created:
        upload(model, cube)
    models.delete(created[0]["uri"])
    assert usage.correct() == 0
    Usage.objects.filter(pk=person.pk).update(bytes=7)
    Usage.objects.create(account=stranger.pk, bytes=99)

    assert usage.correct() == 2

    kept = dict(Usage.objects.values_list("account", "bytes"))
    assert kept == {person.pk: 2 * len(cube), stranger.pk: 0}


def test_usage_correction_recreates_a_missing_row(models, person, upload, cube):
    upload(models.post("/model/", {"name": "a"}).json(), cube)
    Usage.objects.all().delete()

    assert usage.correct() == 1

    assert Usage.objects.get(pk=person.pk).bytes == len(cube)
