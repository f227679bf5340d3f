"""Resolves a model URI to its file, local or remote."""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import aiohttp
import orjson
from django.conf import settings

from apps.search.models import IndexedModel
from apps.warehouse import interface as warehouse
from core import uris
from core.auth_user import Person
from core.errors import ServiceError
from core.files import blobs
from core.files.disk_space import PreallocatedFile
from core.outbound import http, url_policy

MODEL_SIZE, MODEL_TIME = 1 << 20, 15.0  # bytes and seconds for a foreign model's JSON
CONTENT_TIME = 120.0  # seconds for its file, which may be as large as an upload
SLOWEST = 20_000  # bytes a second of it, once ten seconds are over


class ForbiddenModel(ServiceError):
    """The URI can never name a model for us."""

    code = "property-value-not-in-allowed-values"


class ModelNotAvailable(ServiceError):
    """The model answers with something else than 200 and a JSON object."""

    code = "model-not-available"


class NoContent(ServiceError):
    """The model has no `content`."""

    code = "model-without-content"


class ContentNotAvailable(ServiceError):
    """The model's `content` cannot be downloaded."""

    code = "content-not-available"


@dataclass(frozen=True)
class Source:
    """A model to be indexed or searched for.

    key : of the warehouse's model; None for a model of another server
    sha256 : of its canonical STL, which is stored; None where there is none yet
    content_sha256 : of its file, which is stored; None for a model of another server
    holder : the account on whose behalf a file of another server is fetched
    """

    uri: str
    key: UUID | None = None
    sha256: str | None = None
    content_sha256: str | None = None
    holder: str = ""


def canonical(uri: str, *, field: str) -> str:
    """Return `uri` in canonical form if it can name a model."""
    reference = uris.resolve_uri(uri)
    if reference is not None:
        return reference.uri
    try:
        url_policy.validate_url(uri)
        if not uri.isascii():
            raise url_policy.ForbiddenUrl("The URL has letters beyond ASCII: percent-encode them.")
    except url_policy.ForbiddenUrl as error:
        raise ForbiddenModel(str(error), field=field) from error
    return uri


def find(uri: str, *, user: Person, field: str) -> Source:
    """Return the model with this canonical URI if `user` may read it; errors as in the contract."""
    if uris.resolve_uri(uri):
        model = warehouse.find_model(uri=uri, user=user, field=field)
        if model.content_sha256 is None:
            raise NoContent(
                f"{model.uri} has no content yet: upload its file first, then repeat this.",
                field=field,
            )
        return Source(model.uri, model.uuid, model.sha256, model.content_sha256)
    return Source(uri, holder=str(user.pk))


def find_indexed(row: IndexedModel) -> Source:
    """Return the model of a row whose rights were checked before."""
    if row.model_uuid is None:
        return Source(row.model_uri, holder=str(row.owner_id))
    model = warehouse.get_model_unchecked(row.model_uri)
    if model is None or model.content_sha256 is None:
        raise NoContent("The model was deleted: delete this too.", field="model_uri")
    return Source(model.uri, model.uuid, model.sha256, model.content_sha256)


@contextmanager
def stored(sha256: str, *, field: str) -> Iterator[Path]:
    """A local file with stored content, to be read only."""
    try:
        with blobs.local_copy(sha256) as path:
            if not path.exists():
                raise FileNotFoundError(path)
            yield path
    except FileNotFoundError as error:
        raise ContentNotAvailable(
            "The model's file is missing from this server's storage: tell the operator.",
            field=field,
        ) from error


@contextmanager
def uploaded(source: Source, *, field: str) -> Iterator[Path]:
    """Yield a local, read-only file with the model's content as uploaded."""
    if source.content_sha256:
        with stored(source.content_sha256, field=field) as path:
            yield path
        return
    url = _content_of(source.uri, field)
    with blobs.incoming_file() as (file, path):
        written = PreallocatedFile(file)
        _download(url, written, field)
        written.end()
        yield path


def _content_of(uri: str, field: str) -> str:
    """The `content` of another server's model."""
    answer = io.BytesIO()
    try:
        status = http.fetch(uri, answer, most=MODEL_SIZE, timeout=MODEL_TIME)
    except (OSError, ValueError, aiohttp.ClientError) as error:
        raise ModelNotAvailable(f"{uri} does not answer: {_words(error)}", field=field) from error
    if status != 200:
        raise ModelNotAvailable(
            f"{uri} answered {status} instead of 200: it must be readable without credentials.",
            field=field,
        )
    try:
        model = orjson.loads(answer.getvalue())
    except orjson.JSONDecodeError:
        model = None
    if not isinstance(model, dict):
        raise ModelNotAvailable(f"{uri} did not answer with a JSON object.", field=field)
    content = model.get("content")
    if not isinstance(content, str) or not content:
        raise NoContent(f"{uri} has no property `content` with the URL of its file.", field=field)
    return content


def _download(url: str, file: PreallocatedFile, field: str) -> None:
    try:
        status = http.fetch(
            url, file, most=settings.MAX_UPLOAD, timeout=CONTENT_TIME, slowest=SLOWEST
        )
    except (OSError, ValueError, aiohttp.ClientError) as error:
        raise ContentNotAvailable(
            f"The model's content at {url[:200]} cannot be downloaded: {_words(error)}", field=field
        ) from error
    if status != 200:
        raise ContentNotAvailable(
            f"The model's content at {url[:200]} cannot be downloaded: it answered {status}.",
            field=field,
        )


def _words(error: Exception) -> str:
    return str(error) or "it took too long."
