"""Samples that quick estimates are fitted to: measured slices of equal configs."""

from dataclasses import dataclass
from hashlib import sha256

from apps.slicing.domain.installed_engines import installed_engines, settings_of
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Config, Slice
from apps.warehouse import interface as warehouse


@dataclass(frozen=True)
class Recipe:
    """What quick estimates ask of a config.

    key    : of all that decides how it slices: engine, its version, and the file that it reads
    layer  : mm
    infill : a part of 1
    """

    key: str
    layer: float
    infill: float


@dataclass(frozen=True)
class Measured:
    """Numbers of one slice, whosever it is: s, and cm3 without supports."""

    model: str
    sha256: str
    seconds: float
    cc: float


def recipe_of(config: str) -> Recipe | None:
    """Return layer height, infill and a key of a config, the same for equal configs and versions.

    None where the config is deleted, or its engine is missing.
    """
    row = Config.objects.filter(pk__in=Config.keys_of(config), deleted=None).first()
    version = installed_engines()[row.engine].version() if row else None
    if row is None or version is None:
        return None
    try:
        values = settings_of(row)
    except SliceFailed:
        return None
    infill = values.get("fill_density") or values.get("infill_sparse_density") or "20"
    return Recipe(
        key=sha256(f"{row.engine} {version} {row.content_id}".encode()).hexdigest(),
        layer=_number(values.get("layer_height"), 0.2),
        infill=_number(infill, 20.0) / 100,
    )


def measured(config: str, *, most: int) -> list[Measured]:
    """Return the figures of the newest slices by equal configs, one per mesh, of any account."""
    row = Config.objects.filter(pk__in=Config.keys_of(config)).first()
    version = installed_engines()[row.engine].version() if row else None
    if row is None or version is None:
        return []
    rows = Slice.objects.filter(
        config__engine=row.engine,
        config__content=row.content_id,
        engine_version=version,
        status=Slice.Status.PROCESSED,
    )
    found: dict[str, Measured] = {}
    columns = ("model_uri", "model_sha256", "estimates")
    for model, mesh, estimates in rows.order_by("-pk").values_list(*columns)[: 4 * most]:
        seconds = (estimates or {}).get("build_time_seconds")
        cc = (estimates or {}).get("build_volume_cc")
        if mesh and seconds and cc and len(found) < most:
            found.setdefault(mesh, Measured(model, mesh, seconds, cc))
    return list(found.values())


def meshes_of(models: set[str]) -> dict[str, str]:
    """The SHA-256 of the canonical file of each processed model."""
    found = warehouse.get_models_unchecked(models)
    return {uri: model.sha256 for uri, model in found.items() if model.sha256}


def _number(text: str | None, otherwise: float) -> float:
    try:
        found = float(str(text).strip().rstrip("%"))
    except ValueError:
        return otherwise
    return found if found > 0 else otherwise
