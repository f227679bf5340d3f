"""Configs whose slices are made by a slicer in a shop."""

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.db import transaction

from apps.slicing.domain.agent_engines import NotSliceable, adapter_of, require_own_profile
from apps.slicing.domain.catalogue import catalogue
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import AgentEngine, Config
from apps.slicing.services.configs import find_config
from core.auth_user import Person
from core.errors import ServiceError, UnknownResource
from core.postgres import advisory_locks


class EngineNotSuitable(ServiceError):
    """A slicer in a shop that cannot slice a config."""

    code = "engine-not-suitable"


def find_or_make_shop_config(*, owner: Person, config: Config, engine: str | None) -> Config:
    """A config of `owner`'s equal to `config`, for the slicer in a shop of this URI.

    engine : None for the engine of the platform

    Raises UnknownResource, EngineNotSuitable.
    """
    slicer = None
    if engine is not None:
        rows = AgentEngine.objects.visible_to(owner)
        slicer = rows.filter(pk__in=AgentEngine.keys_of(engine)).first()
        if slicer is None:
            raise _unknown(engine)
    return _for_engine(owner, config, slicer)


def _for_engine(owner: Person, config: Config, slicer: AgentEngine | None) -> Config:
    """An equal config for a slicer. Raises EngineNotSuitable where that cannot slice it."""
    if slicer is not None:
        with _refusals():
            adapter_of(slicer, config)
    if config.agent_engine == slicer:
        return config
    with transaction.atomic():
        advisory_locks.advisory_lock(f"configs of shops of {owner.pk}")
        same = Config.objects.filter(
            owner=owner,
            engine=config.engine,
            kind=config.kind,
            content=config.content_id,
            agent_engine=slicer,
            deleted=None,
            **({"preset": config.preset} if config.preset else {"preset__isnull": True}),
        )
        return same.order_by("uuid").first() or Config.objects.create(
            owner=owner,
            engine=config.engine,
            kind=config.kind,
            description=config.description,
            parameters=config.parameters,
            notes=config.notes,
            preset=config.preset,
            fitted=config.fitted,
            agent_engine=slicer,
            content_id=config.content_id,
        )


def shop_config(*, owner: Person, config: str, engine: str, bureau: UUID) -> str:
    """The URI of an equal config for a slicer in a bureau's shop.

    It is `config` itself where that slicer is gone. Raises EngineNotSuitable.
    """
    row = find_config(uri=config, user=owner)
    slicer = _of_bureau(engine, bureau)
    return row.uri if slicer is None else _for_engine(owner, row, slicer).uri


def check_shop_engine(*, uri: str, bureau: UUID, preset: str | None) -> None:
    """Raise UnknownResource or EngineNotSuitable where a printer type cannot have this slicer.

    preset : URI of its printer's preset
    """
    slicer = _of_bureau(uri, bureau)
    if slicer is None:
        raise _unknown(uri)
    if slicer.has_own_profiles:
        with _refusals():
            printer = catalogue().find(preset, "printer") if preset else None
            require_own_profile(slicer, printer)


def _of_bureau(uri: str, bureau: UUID) -> AgentEngine | None:
    return AgentEngine.objects.filter(bureau=bureau, pk__in=AgentEngine.keys_of(uri)).first()


def _unknown(uri: str) -> UnknownResource:
    title = f"{uri} is no slicer in your shop: GET /engine/?filter[in_shop]=true lists them."
    return UnknownResource(title, field="engine")


@contextmanager
def _refusals() -> Iterator[None]:
    """Raise ServiceError in place of SliceFailed."""
    try:
        yield
    except NotSliceable as failure:
        raise EngineNotSuitable(failure.title, field="engine") from failure
    except SliceFailed as failure:
        raise ServiceError(failure.title, code=failure.code, field="engine") from failure
