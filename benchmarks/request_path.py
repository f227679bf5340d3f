"""CPU of a request beside a bare Django + DRF view that runs the same queries, in one run.

Both are called through their WSGI handlers, without a socket; rounds are interleaved, and the
medians of CPU time a request are compared. The last line is one JSON object of the ratios.
"""

import base64
import io
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "platform")]

from core.database import EmbeddedPostgres  # noqa: E402  needs the path above

ROUNDS, REQUESTS, MODELS = 9, 200, 2000
HOST = "models.platform.localhost"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DATA_DIR": folder,
            "DJANGO_SETTINGS_MODULE": "project.settings",
            "LOG_LEVEL": "ERROR",
        }
        postgres = EmbeddedPostgres(Path(folder))
        postgres.start()
        try:
            postgres.create_database()
            (Path(folder) / "static").mkdir()
            measure()
        finally:
            from django.db import connections

            connections.close_all()
            postgres.stop()


def measure() -> None:
    import django

    django.setup()

    from django.core.management import call_command
    from django.core.wsgi import get_wsgi_application
    from django.db import connection
    from django.test.utils import CaptureQueriesContext, override_settings

    from apps.users.models import User
    from apps.users.services import create_token
    from apps.warehouse.models import Model

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench", "bench@example.com", "x", name="Bench")
    token = create_token(user=user, name="bench")
    found = {"version": 1, "manifold": True, "triangles": 1000, "size": [1.0, 2.0, 3.0]}
    Model.objects.bulk_create(
        [
            Model(owner=user, name=f"part {n}", status="processed", analyses=found)
            for n in range(MODELS)
        ]
    )
    key = str(Model.objects.order_by("uuid").first().pk)
    credentials = base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()
    ours = get_wsgi_application()
    with override_settings(MIDDLEWARE=["benchmarks.bare.only_bare"]):
        bare = get_wsgi_application()

    body = json.dumps({"name": "bracket"}).encode()
    cases = {
        "get": ("GET", f"/model/{key}/", b""),
        "post": ("POST", "/model/", body),
        "list": ("GET", "/model/", b""),
    }
    report: dict[str, object] = {"benchmark": "request_path"}
    for name, (method, path, content) in cases.items():
        queries = {}
        for who, handler in (("ours", ours), ("bare", bare)):
            with CaptureQueriesContext(connection) as seen:
                call(handler, method, path, content, credentials)
            texts = [query["sql"] for query in seen.captured_queries]
            queries[who] = sum(not text.startswith(("BEGIN", "COMMIT")) for text in texts)
        times: dict[str, list[float]] = {"ours": [], "bare": []}
        count = REQUESTS if name != "list" else REQUESTS // 10
        for _ in range(ROUNDS):
            for who, handler in (("ours", ours), ("bare", bare)):
                begun = time.process_time()
                for _ in range(count):
                    call(handler, method, path, content, credentials)
                times[who].append((time.process_time() - begun) / count * 1e6)
        own, peer = statistics.median(times["ours"]), statistics.median(times["bare"])
        print(
            f"{name:5} ours {own:7.0f} us CPU, {queries['ours']} queries;"
            f" bare {peer:7.0f} us, {queries['bare']} queries; ratio {own / peer:.2f}"
        )
        report |= {f"{name}_ratio": round(own / peer, 3), f"{name}_queries": queries["ours"]}
        report[f"{name}_us"] = round(own)
    print(json.dumps(report))


def call(handler, method: str, path: str, body: bytes, credentials: str) -> bytes:
    """One request through a WSGI handler; the answer's body."""
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": "",
        "SERVER_NAME": HOST,
        "SERVER_PORT": "80",
        "HTTP_HOST": HOST,
        "HTTP_AUTHORIZATION": f"Basic {credentials}",
        "CONTENT_TYPE": "application/json",
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
        "REMOTE_ADDR": "127.0.0.1",
    }
    status = []
    answer = b"".join(handler(environ, lambda line, headers, exc=None: status.append(line)))
    assert status[0][:1] == "2", (status, answer[:500])
    return answer


if __name__ == "__main__":
    main()
