"""Service layer: create, update, share and delete configs."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from hashlib import sha256

from django.db import transaction

from apps.slicing.configs.base import Note, RawConfigError, RawConfigErrors
from apps.slicing.configs.parameters import PARAMETERS
from apps.slicing.domain.config_check import faults_of, one_check_of
from apps.slicing.domain.installed_engines import installed_engines
from apps.slicing.engines.base import Engine, SettingsError
from apps.slicing.models import Config
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError, Unavailable, UnknownResource
from core.files import blobs
from core.postgres import advisory_locks
from core.text.server_paths import without_folders


def create(
    *, actor: Person, engine: str, parameters: Mapping[str, object], description: str = ""
) -> Config:
    """Create a config of curated parameters; `parameters` has every key, null if not specified."""
    slicer = _installed(engine)
    try:
        text = slicer.config_text(slicer.settings(parameters))
    except SettingsError as error:
        code = "property-value-not-in-allowed-values"
        raise ServiceError(str(error), code=code, field="parameters") from error
    with stored_text(text) as record, transaction.atomic():
        return Config.objects.create(
            owner=actor,
            engine=engine,
            description=description,
            parameters=parameters,
            content_id=record(),
        )


def create_raw(
    *,
    actor: Person,
    engine: str,
    content: str,
    description: str = "",
    notes: Sequence[Note] = (),
    origin: Mapping[str, object] | None = None,
) -> Config:
    """Create a config from an engine's own config file, stored as posted.

    notes : what is not used, beside what is found in the content
    origin : what is stored of the presets that it was read from, see Config.preset
    """
    slicer = _installed(engine)
    try:
        raw = slicer.read_raw(content)
        with one_check_of(actor.pk):
            faults = faults_of(slicer, raw)
        if faults:
            raise RawConfigErrors(faults)
    except RawConfigErrors as refused:
        raise InvalidFields(faults_in_content(refused)) from refused
    with stored_text(content) as record, transaction.atomic():
        return Config.objects.create(
            owner=actor,
            engine=engine,
            kind=Config.Kind.RAW,
            description=description,
            parameters=dict.fromkeys(PARAMETERS),
            notes=[note._asdict() for note in [*notes, *raw.notes]],
            preset=origin or None,
            content_id=record(),
        )


@transaction.atomic
def find_or_make(
    *, owner: Person, engine: str, kind: str, text: str, same: Mapping[str, object], **new: object
) -> Config:
    """A config of `owner`'s with this content; a new one at need.

    same : columns that one which is there already must have as well
    new  : further columns of a new one
    """
    digest = sha256(text.encode()).hexdigest()
    configs = Config.objects.filter(
        owner=owner, engine=engine, kind=kind, content=digest, deleted=None, **same
    ).order_by("uuid")
    if row := configs.first():
        return row
    # Of many requests at once one makes it.
    advisory_locks.advisory_lock(f"configs of presets of {owner.pk}")
    if row := configs.first():
        return row
    with stored_text(text) as record:
        return Config.objects.create(
            owner=owner, engine=engine, kind=kind, content_id=record(), **same, **new
        )


def change(*, actor: Person, row: Config, description: str | None = None) -> None:
    """Change a config's description; other values are a new config.

    For its owner, and holders of the right `write` on it.
    """
    row.require(actor, "write")
    if description is not None:
        row.description = description
        row.save(update_fields=["description", "updated"])


@transaction.atomic
def delete(*, actor: Person, row: Config) -> None:
    """Take a config out of sight; the slices made with it keep it.

    For its owner, and holders of the right `delete` on it.
    """
    row.delete_by(actor)


def find_config(*, uri: str, user: Person) -> Config:
    """The config that `uri` names, if `user` may use it; UnknownResource otherwise."""
    keys = Config.keys_of(uri)
    config = Config.objects.visible_to(user).filter(pk__in=keys).first()
    if config is None:
        raise UnknownResource(
            f"{uri} is not a config that you may use: create it first.", field="config"
        )
    return config


def _installed(engine: str) -> Engine:
    slicer = installed_engines()[engine]
    if slicer.version() is None:
        raise Unavailable(without_folders(slicer.missing()), code="engine-not-installed")
    return slicer


def faults_in_content(refused: RawConfigErrors, field: str = "content") -> list[ServiceError]:
    """Return the errors of a config file, each with its line and setting."""
    return [_fault(error, field) for error in refused.errors]


def _fault(error: RawConfigError, field: str) -> ServiceError:
    place = {"line": error.line, "key": error.key}
    details = {name: value for name, value in place.items() if value is not None}
    return ServiceError(error.title, code=error.code, field=field, details=details)


@contextmanager
def stored_text(text: str) -> Iterator[Callable[[], str]]:
    """Store a text, and yield a function that creates its row.

    It is called in a transaction, and returns the hash for a foreign key.
    """
    data = text.encode()
    digest = sha256(data).hexdigest()
    with blobs.incoming_file() as (file, path):
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        place = blobs.upload_blob(path, digest, len(data))
        yield partial(blobs.create_row, digest, len(data), place=place)
