"""A client for each host, the real queue, and small meshes."""

import gc
import hashlib
import io
import struct
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import dramatiq
import numpy as np
import pytest
from django.conf import settings
from django.core.files.storage import storages
from django.db import connection, connections
from django.test import TransactionTestCase
from dramatiq import Message
from rest_framework.test import APIClient

from apps.payment.models import Price
from apps.slicing import interface as slicing_app
from apps.users.domain.rights import forget_answers
from apps.users.models import User
from apps.warehouse.actors.snapshots import DEFAULT_VIEW
from core.files.pending_uploads import PartialUpload, complete_upload
from core.files.signed_urls import UploadGrant
from core.web import rate_limits
from tests import schema_checks
from tests.cluster import DATABASE
from tests.made_once import MadeOnce
from tests.slicing.cura_nova import install_nova
from tests.slicing.vendor_bundle import BUNDLE
from tests.truncation import empty

TESTS = Path(__file__).parent
FIRST = ("tests/slow/test_attacks.py", "tests/browser/", "tests/live/")
# Users are the same in all tests, so that `made_once` may refer to them.
PERSON, STRANGER, OPERATOR = (UUID(f"01a1fe8c-5a5a-7000-8000-00000000000{n}") for n in (1, 2, 3))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Files are named by their length: their bytes may hold the time, and workers must agree."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection(session: pytest.Session) -> None:
    """Workers import the tests each from another place on: one compiles what the others read.

    To rewrite the assertions of all tests takes a minute, which each would spend on a new clone.
    """
    worker = getattr(session.config, "workerinput", None)
    if worker is None or session.config.option.file_or_dir:
        return
    ignored = [TESTS.parent / path for path in session.config.option.ignore or ()]
    files = [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if not any(path.is_relative_to(one) for one in ignored)
    ]
    first = len(files) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for path in files[first:] + files[:first]:
        # What cannot be imported is reported when it is collected.
        with suppress(Exception, pytest.skip.Exception):
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest file, and keep together the files that share a platform.

    A platform that nothing uses any more costs a tenth of a core.
    """
    items.sort(key=lambda item: next(
        (place for place, path in enumerate(FIRST) if item.nodeid.startswith(path)), len(FIRST)
    ))  # fmt: skip


def pytest_collection_finish() -> None:
    """Collections of garbage are rare, and skip what was imported."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def responses_match_documents() -> None:
    """Whatever is answered is as its document says."""
    schema_checks.watch()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix) -> None:
    """Databases of tests are copied from the migrated one.

    It stands here since a fixture of a plugin would yield to that of pytest-django.
    """
    default = settings.DATABASES["default"]
    default.setdefault("TEST", {})["TEMPLATE"] = DATABASE
    # A test is one transaction, in which jobs may take longer than a request's may rest; and on a
    # busy machine fifty statements that wait for one another take longer than one may.
    default["OPTIONS"]["options"] += (
        " -c idle_in_transaction_session_timeout=0 -c statement_timeout=60s -c lock_timeout=60s"
    )


class HostClient(APIClient):
    """A client of one service's host."""

    def __init__(self, host: str, **options):
        super().__init__(SERVER_NAME=f"{host}.{settings.PARENT_HOST}", **options)
        self.default_format = "json"
        self.signed_in: User | None = None

    def generic(self, method, path, *arguments, **options):
        # A real request reads its user anew, who remembers no rights.
        forget_answers(self.signed_in)
        for scheme in ("http://", "https://"):  # a Location is an absolute URI
            if path.startswith(scheme):
                host, _, rest = path.removeprefix(scheme).partition("/")
                return super().generic(
                    method, f"/{rest}", *arguments, **{**options, "SERVER_NAME": host}
                )
        return super().generic(method, path, *arguments, **options)


@pytest.fixture
def client_of() -> Callable[..., HostClient]:
    """`client_of("models", user)`: a client of a host, signed in as `user` where one is given."""

    def make(host: str, user: User | None = None, **options) -> HostClient:
        client = HostClient(host, **options)
        if user is not None:
            client.force_authenticate(user)
            client.signed_in = user
        return client

    return make


@pytest.fixture
def made_once(db, tmp_path, tmp_path_factory) -> MadeOnce:
    """`made_once("shop", make)`: what `make()` returns, made by the first test that needs it."""
    return MadeOnce(tmp_path / "files", tmp_path_factory.mktemp)


@pytest.fixture
def person(db) -> User:
    """An ordinary user."""
    return User.objects.create_user(
        "ada", "ada@example.com", "correct horse battery", name="Ada", uuid=PERSON
    )


@pytest.fixture
def stranger(db) -> User:
    """Another ordinary user, who shares nothing with `person`."""
    return User.objects.create_user(
        "bob", "bob@example.com", "correct horse battery", name="Bob", uuid=STRANGER
    )


@pytest.fixture
def operator(db) -> User:
    """A system administrator."""
    return User.objects.create_user(
        "root", "root@example.com", "correct horse battery", name="Root", is_staff=True,
        uuid=OPERATOR,
    )  # fmt: skip


@pytest.fixture
def run_jobs(db) -> Callable[[], list[str]]:
    """`work()`: run what the code really queued until nothing is due; the actors' names."""

    def run() -> list[str]:
        broker = dramatiq.get_broker()
        done = []
        while True:
            with connection.cursor() as cursor:
                cursor.execute(
                    "DELETE FROM dramatiq.queue WHERE message_id = (SELECT message_id"
                    " FROM dramatiq.queue WHERE available_at <= now()"
                    " ORDER BY position LIMIT 1) RETURNING message::text"
                )
                row = cursor.fetchone()
            if row is None:
                return done
            message = Message.decode(row[0].encode())
            done.append(message.actor_name)
            broker.get_actor(message.actor_name).fn(*message.args, **message.kwargs)

    return run


@pytest.fixture
def queued(db) -> Callable[[], list[tuple[str, list]]]:
    """`queued()`: actor and arguments of every message that is due."""

    def look() -> list[tuple[str, list]]:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT message->>'actor_name', message->'args' #>> '{}' FROM dramatiq.queue"
                " WHERE available_at <= now() ORDER BY position"
            )
            return cursor.fetchall()

    return look


@pytest.fixture
def upload(tmp_path: Path) -> Callable[[dict, bytes], None]:
    """`upload(resource, data)`: what the files host does once all bytes have arrived."""

    def send(model: dict, data: bytes) -> None:
        path = tmp_path / "upload"
        path.write_bytes(data)
        kind, uuid, _ = model["uri"].split("/")[-3:]
        digest = hashlib.sha256(data).hexdigest()
        grant = UploadGrant(kind, UUID(uuid), max_size=1 << 30, expires=0)
        complete_upload(grant, path, digest, len(data))

    return send


@pytest.fixture
def files_host(db, monkeypatch) -> Iterator[Callable[[str], PartialUpload]]:
    """Lets `tests.files_host.ask` be used; `files_host(location)`: the pieces that came there."""

    def share() -> None:  # the test's connection, as Django's own live server does
        connections["default"] = shared

    def pieces(location: str) -> PartialUpload:
        kind, uuid = urlsplit(location).path.split("/")[2:]
        return PartialUpload(kind, UUID(uuid))

    shared = connections["default"]
    shared.inc_thread_sharing()
    # It would end the test's transaction: Django's own test client leaves it out as well.
    monkeypatch.setattr("files_host.uploads.close_old_connections", lambda: None)
    with ThreadPoolExecutor(1, initializer=share) as thread:
        monkeypatch.setattr("files_host.responses._threads", thread)
        yield pieces
    shared.dec_thread_sharing()


# ---------------------------------------------------------------- money

A_SLICE = {"namespace": "slicing", "action": "slice"}


@pytest.fixture
def price(client_of, operator) -> Callable[..., dict]:
    """`price(1.5)`: what a slice costs, set by an operator."""

    def make(amount=1.5, **fields) -> dict:
        body = {**A_SLICE, "amount": amount, "currency": "EUR", **fields}
        answer = client_of("payment", operator).post("/price/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make


@pytest.fixture
def payer(client_of, operator, price) -> Callable[..., User]:
    """`payer(user)`: consents to slices, and pays outside the platform."""

    def make(user: User, **ceilings) -> User:
        if not Price.objects.exists():
            price()
        body = {**A_SLICE, "consented": True, "user_uri": user.uri, **ceilings}
        assert client_of("payment", user).post("/consent/", body).status_code == 201
        method = {"user_uri": user.uri, "type": "manual"}
        assert client_of("payment", operator).post("/payment-method/", method).status_code == 201
        return user

    return make


# ---------------------------------------------------------------- meshes

CORNERS = np.array(
    [[x, y, z] for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)], dtype=np.float32
)
SIDES = np.array(
    [
        [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
        [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
    ]
)  # fmt: skip


def binary_stl(triangles: np.ndarray) -> bytes:
    """A binary STL file of (m, 3, 3) corners."""
    file = io.BytesIO()
    file.write(b"made by the tests".ljust(80) + struct.pack("<I", len(triangles)))
    for triangle in triangles.astype("<f4"):
        file.write(bytes(12) + triangle.tobytes() + bytes(2))
    return file.getvalue()


@pytest.fixture
def cube() -> bytes:
    """A closed cube of 20 mm, as a binary STL file."""
    return binary_stl(CORNERS[SIDES] * 20)


@pytest.fixture
def open_box() -> bytes:
    """The cube without one triangle."""
    return binary_stl(CORNERS[SIDES][:-1] * 20)


@pytest.fixture
def point() -> bytes:
    """A facet whose three corners are one: a binary STL file of nothing."""
    return bytes(80) + struct.pack("<I", 1) + bytes(50)


@pytest.fixture(autouse=True, scope="session")
def _quick_emptying() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(autouse=True, scope="session")
def _engines_self_tested() -> None:
    """Engines of untested versions have sliced their test cube, as after the platform's start."""
    slicing_app.test_engines()


@pytest.fixture(autouse=True)
def _quick_passwords(settings) -> None:
    """Passwords are hashed for safety's sake, slowly; tests make many."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(autouse=True)
def _full_request_buckets(monkeypatch) -> None:
    """Tests send more requests than their rate limit allows; each begins with full buckets."""
    monkeypatch.setattr(rate_limits, "_buckets", {})
    monkeypatch.setattr(rate_limits, "_rates", {})


@pytest.fixture(autouse=True)
def _plain_pictures(monkeypatch) -> None:
    """Default pictures without shadows, which take seconds."""
    plain = replace(DEFAULT_VIEW, samples=0)
    monkeypatch.setattr("apps.warehouse.actors.snapshots.DEFAULT_VIEW", plain)


@pytest.fixture
def tmp_path(tmp_path_factory) -> Path:
    """As pytest's, without a look at the folders of all tests before."""
    folder = tmp_path_factory.getbasetemp() / uuid4().hex
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture(autouse=True)
def _own_files(tmp_path: Path, settings) -> Iterator[None]:
    """Each test has a storage of its own."""
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "files"},
        },
    }
    storages._storages.pop("default", None)
    yield
    storages._storages.pop("default", None)


@pytest.fixture
def presets_folder(tmp_path, settings) -> Path:
    """Presets of one maker in place of those of the installed package."""
    folder = tmp_path / "presets"
    folder.mkdir()
    (folder / "Acme.ini").write_text(BUNDLE)
    settings.PRESETS = folder
    settings.ORCA_PRESETS = tmp_path / "orca-presets"
    return folder


@pytest.fixture
def nova(tmp_path, monkeypatch):
    """CuraEngine with the machine Nova in place of those that are installed."""
    return install_nova(tmp_path / "cura", monkeypatch)
