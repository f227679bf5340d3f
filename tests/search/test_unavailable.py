"""A database that does not answer, for real."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from django.db import connection

ROOT = Path(__file__).resolve().parents[2]
# Nobody listens at this port.
NOWHERE = "postgresql://nobody@127.0.0.1:1/nothing"
ASK = """
import json, sys
from project.wsgi import application
from django.test import Client
answers = []
for host, path, how in json.loads(sys.argv[1]):
    client = Client(SERVER_NAME=f"{host}.platform.test", **how.get("headers", {}))
    client.cookies.load(how.get("cookies", {}))
    answer = client.get(path)
    code = json.loads(answer.content).get("errors", [{}])[0].get("code")
    answers.append([answer.status_code, code, answer.get("Retry-After")])
print(json.dumps(answers))
"""
BASIC = base64.b64encode(b"01a1fe8b-70bb-7000-8000-000000000001:secret").decode()
TOKEN = {"headers": {"HTTP_AUTHORIZATION": f"Basic {BASIC}"}}
SESSION = {"cookies": {"session": "abcdefghijklmnopqrstuvwxyz012345"}}


def test_unavailable_database_returns_500_for_search_and_503_for_others():
    asked = [
        ("search", "/similar-models/?filter[model]=x", TOKEN),
        ("search", "/indexed-model/", SESSION),
        ("geometricsearch", "/indexed-model/", TOKEN),
        ("data", "/indexed-model/", TOKEN),
        ("data", "/model/", TOKEN),
        ("models", "/model/", TOKEN),
        ("search", "/about/", TOKEN),
    ]

    done = subprocess.run(
        [sys.executable, "-c", ASK, json.dumps(asked)],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": NOWHERE, "PYTHONPATH": f"{ROOT}:{ROOT / 'platform'}"},
        capture_output=True,
        text=True,
        check=True,
    )

    gone, elsewhere = [500, "index-unavailable", "5"], [503, "database-unavailable", "5"]
    assert json.loads(done.stdout) == [gone] * 4 + [elsewhere] * 2 + [[200, None, None]]


@pytest.mark.django_db(transaction=True)
def test_search_index_timeout_returns_500_with_retry_after(search):
    options = connection.get_connection_params()
    place = {name: options[name] for name in ("host", "port", "user", "dbname")}

    with psycopg.connect(**place) as other, connection.cursor() as cursor:
        other.execute("LOCK TABLE search_indexedmodel")
        cursor.execute("SET lock_timeout = '300ms'")
        answer = search.get("/indexed-model/")
        cursor.execute("RESET lock_timeout")

    assert answer.status_code == 500
    assert answer.json()["errors"][0]["code"] == "index-unavailable"
    assert answer["Retry-After"] == "5"
