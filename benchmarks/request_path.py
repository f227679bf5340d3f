"""Processor time and queries of a request beside the barest Django + DRF views (peers/bare.py).

Both run the same statements and are called through their WSGI handlers, without a socket. The
models have a file and a picture, so ours signs locations, which the bare views do not. The last
figure is a page of models alone, from its statement to its bytes.
"""

import base64
import io
import json
import sys

import orjson

from benchmarks.kit import Figure, django_with_database, in_turn, report

ROUNDS, MODELS = 61, 2000
HOST = "models.platform.localhost"
FOUND = {
    "version": 1,
    "manifold": True,
    "triangles": 1000,
    "size": [1.0, 2.0, 3.0],
    "volume": 6.0,
    "surface_area": 22.0,
}


def main() -> None:
    with django_with_database():
        report("request_path", measure())


def measure() -> list[Figure]:
    # As Django is set up now.
    from django.core.wsgi import get_wsgi_application
    from django.test.utils import override_settings

    from apps.users.models import User
    from apps.users.services.tokens import make_token
    from project.wsgi import application

    user = User.objects.create_user("bench", "bench@example.com", "x", name="Bench")
    token = make_token(user=user, actor=user, name="bench")
    key = make_models(user)
    ours = application
    with override_settings(MIDDLEWARE=["benchmarks.peers.minimal_django.only_bare"]):
        bare = get_wsgi_application()

    credentials = base64.b64encode(f"{token.uuid}:{token.secret}".encode()).decode()
    body = json.dumps({"name": "bracket"}).encode()
    cases = {
        "GET of a model": ("GET", f"/model/{key}/", b"", 40, "ratio <= 1.2"),
        # Before models are made that have no file.
        "GET of a list of 100": ("GET", "/model/", b"", 5, ""),
        "POST of a model": ("POST", "/model/", body, 40, "ratio <= 1.25"),
    }
    figures = []
    for name, (method, path, content, calls, goal) in cases.items():
        jobs = {
            who: lambda handler=handler: call(handler, method, path, content, credentials)  # noqa: B023
            for who, handler in (("ours", ours), ("bare", bare))
        }
        queries = {who: count_queries(job) for who, job in jobs.items()}
        costs = in_turn(jobs, rounds=ROUNDS, calls=calls)
        own, peer = costs["ours"].cpu * 1e6, costs["bare"].cpu * 1e6
        figures += [
            Figure(f"{name}, CPU", "us", own, peer, goal),
            Figure(f"{name}, queries", "", queries["ours"], queries["bare"]),
        ]
    return [*figures, Figure("page of 100, CPU", "ms", page_cost(user), goal="<= 1.6")]


def make_models(user) -> str:
    """Rows as an upload leaves them; the key of one of them."""
    from apps.warehouse.models import Model
    from core.models import Blob

    content, picture = Blob(sha256="c" * 64, size=1000), Blob(sha256="d" * 64, size=1000)
    Blob.objects.bulk_create([content, picture])
    Model.objects.bulk_create(
        Model(
            owner=user,
            name=f"part {number}",
            status="processed",
            analyses=FOUND,
            content=content,
            picture=picture,
            file_size=1000,
        )
        for number in range(MODELS)
    )
    return str(Model.objects.order_by("uuid").first().pk)


def count_queries(job) -> int:
    """The statements of a request, without those that only begin or end its transaction."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    job()
    with CaptureQueriesContext(connection) as seen:
        job()
    texts = [query["sql"] for query in seen.captured_queries]
    return sum(not text.startswith(("BEGIN", "COMMIT")) for text in texts)


def page_cost(user) -> float:
    """CPU, ms: a page of models, from its statement to its bytes."""
    from apps.warehouse.queries import readable_models
    from apps.warehouse.serializers.model import model_resource

    def read() -> bytes:
        rows = readable_models(user).order_by("-uuid")[:100]
        return orjson.dumps([model_resource(row) for row in rows])

    return in_turn({"page": read}, rounds=ROUNDS, calls=5)["page"].cpu * 1e3


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
    if not status[0].startswith("2"):
        raise SystemExit(f"{method} {path}: {status[0]} {answer[:500]!r}")
    return answer


if __name__ == "__main__":
    main()
