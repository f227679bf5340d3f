"""Configs of config bundles that users export from PrusaSlicer and SuperSlicer."""

from collections.abc import Mapping
from functools import cache

from apps.slicing.configs import bundles
from apps.slicing.configs.base import RawConfigErrors
from apps.slicing.configs.bundles import Bundle, Elsewhere, InvalidBundle, Settings
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.presets import Triple, flattened
from apps.slicing.configs.slic3r import RENAMED
from apps.slicing.domain.catalogue import Catalogue, catalogue
from apps.slicing.domain.config_check import one_check_of
from apps.slicing.models import Config, EngineName
from apps.slicing.services.configs import create_raw, faults_in_content
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError

MAX_NAMED = 500  # presets of a kind that an error lists


class PresetNotNamed(ServiceError):
    """The bundle has several presets of a kind, and none was chosen in the slicer."""

    code = "missing-parameter"


class NotInBundle(ServiceError):
    """The bundle has no preset of this name."""

    code = "property-value-not-in-allowed-values"


def create_bundle_config(
    *,
    actor: Person,
    content: str,
    printer: str = "",
    print: str = "",  # noqa: A002  the contract's word
    filament: str = "",
    description: str = "",
) -> Config:
    """Create a config of a printer, a print and a filament preset in a config bundle.

    Presets that are not named are those that were chosen in the slicer when it exported the
    bundle, or the only ones. Parents that are not in the bundle are looked up in the installed
    presets.
    """
    read = catalogue()
    named = {"printer": printer, "print": print, "filament": filament}
    try:
        with one_check_of(actor.pk):  # a large one takes seconds
            bundle = bundles.read(content.encode(), "content", _installed(read))
            names = _chosen(bundle, named)
            triple = Triple(**{kind: bundle.flat(kind, name) for kind, name in names.items()})
    except InvalidBundle as refused:
        raise ServiceError(refused.title, code=refused.code, field="content") from refused
    try:
        raw = flattened(triple, read.known, renamed=RENAMED)
    except RawConfigErrors as refused:
        raise InvalidFields(faults_in_content(refused)) from refused
    return create_raw(
        actor=actor,
        engine=EngineName.SLIC3R,
        content=read.engine.config_text(for_extruder(raw.settings, 1)),
        description=description or " · ".join(names.values()),
        notes=raw.notes,
    )


def _installed(read: Catalogue) -> Elsewhere:
    """Return what looks up the settings of installed presets by kind and name."""
    rows = {(row.kind, row.name): row for row in read if not row.estimate_only}

    @cache
    def settings_of(kind: str, name: str) -> Settings | None:
        row = rows.get((kind, name))
        return row.source.flat(kind, name) if row else None

    return settings_of


def _chosen(bundle: Bundle, named: Mapping[str, str]) -> dict[str, str]:
    """Return the name of the preset of each kind that is used.

    named : kind -> name, empty where none is wanted. Raises InvalidFields
    """
    active = bundle.sections.get("presets", {}).get("", {})
    chosen: dict[str, str] = {}
    faults: list[ServiceError] = []
    for kind, name in named.items():
        names = sorted(bundle.names(kind))
        details = {"names": names[:MAX_NAMED]}
        if name and name not in names:
            title = f"The bundle has no {kind} preset {name!r}."
            faults.append(NotInBundle(title, field=kind, details=details))
        elif name or active.get(kind) in names:
            chosen[kind] = name or active[kind]
        elif len(names) == 1:
            chosen[kind] = names[0]
        else:
            title = f"The bundle has {len(names)} {kind} presets: name one of them."
            faults.append(PresetNotNamed(title, field=kind, details=details))
    if faults:
        raise InvalidFields(faults)
    return chosen
