"""Configs of config bundles, projects and profiles that users export from their slicers."""

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import IO

from apps.slicing.configs import bundles
from apps.slicing.configs.archives import ZIP_SIGNATURE, opened
from apps.slicing.configs.base import Note, RawConfigErrors
from apps.slicing.configs.bundles import Bundle, Elsewhere, InvalidBundle, Settings
from apps.slicing.configs.cura_profiles import (
    CuraProfile,
    contents_of,
    is_instance,
    is_profile,
    read_profile,
)
from apps.slicing.configs.extruders import for_extruder
from apps.slicing.configs.presets import Triple, flattened
from apps.slicing.configs.projects import read_project
from apps.slicing.configs.slic3r import RENAMED
from apps.slicing.domain.catalogue import Catalogue, catalogue
from apps.slicing.domain.config_check import one_check_of
from apps.slicing.models import Config, EngineName
from apps.slicing.services.configs import create_raw, faults_in_content
from apps.slicing.services.cura_configs import CuraChoices, create_cura_config
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError
from core.files import blobs

MAX_NAMED = 500  # presets of a kind that an error lists
MAX_PROJECT = 256 << 20  # bytes of a model whose settings are read in a request


class PresetNotNamed(ServiceError):
    """The bundle has several presets of a kind, and none was chosen in the slicer."""

    code = "missing-parameter"


class NotInBundle(ServiceError):
    """The bundle has no preset of this name."""

    code = "property-value-not-in-allowed-values"


class NoProject(ServiceError):
    """The model is no file that has settings."""

    code = "invalid-bundle"


@dataclass(frozen=True)
class SlicerFile:
    """What presets are read from: one of the three.

    content : the text of a config bundle
    file    : a file, in base64
    model   : URI of a model whose file is a project
    """

    content: str = ""
    file: str = ""
    model: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not (self.content or self.file or self.model)

    @property
    def field(self) -> str:
        """The only one that is there. Raises ServiceError."""
        names = [name for name in ("content", "file", "model") if getattr(self, name)]
        if len(names) == 1:
            return names[0]
        title = (
            "Send one of content (a text), file (in base64) and model (a URI), or only a machine "
            "of Cura in printer."
        )
        raise ServiceError(title, code="missing-parameter", field="content")


def create_bundle_config(
    *,
    actor: Person,
    content: str | None = None,
    file: str | None = None,
    model: str | None = None,
    printer: str = "",
    print: str = "",  # noqa: A002  the contract's word
    filament: str = "",
    description: str = "",
    **choices: str,
) -> Config:
    """Create a config of a printer, a print and a filament preset in a file of a slicer.

    content : the text of a config bundle
    file    : a bundle, a 3MF project or a profile of Cura, in base64
    model   : URI of a 3MF project that was uploaded as a model
    printer : of Cura, the identifier of the machine; without a file the machine as Cura has it
    choices : of Cura, see CuraChoices

    Presets that are not named are those that were chosen in the slicer when it exported the
    bundle, or the only ones. Parents that are not in the bundle are looked up in the installed
    presets.
    """
    source = SlicerFile(content or "", file or "", model or "")
    of_cura = CuraChoices(**choices)
    if source.is_empty and printer:
        return create_cura_config(
            actor=actor, profile=None, machine=printer, choices=of_cura, description=description
        )
    field = source.field
    named = {"printer": printer, "print": print, "filament": filament}
    try:
        with one_check_of(actor.pk):  # a large one takes seconds
            settings = _settings(source, actor)
            if not isinstance(settings, CuraProfile):
                read = catalogue()
                bundle = _bundle(settings, read)
                names = _chosen(bundle, named)
                triple = Triple(**{kind: bundle.flat(kind, name) for kind, name in names.items()})
    except InvalidBundle as refused:
        raise ServiceError(refused.title, code=refused.code, field=field) from refused
    if isinstance(settings, CuraProfile):
        return create_cura_config(
            actor=actor,
            profile=settings,
            machine=printer,
            choices=of_cura,
            description=description,
        )
    _require_no_choices(of_cura)
    try:
        raw = flattened(triple, read.known, renamed=RENAMED)
    except RawConfigErrors as refused:
        raise InvalidFields(faults_in_content(refused, field)) from refused
    return create_raw(
        actor=actor,
        engine=EngineName.SLIC3R,
        content=read.engine.config_text(for_extruder(raw.settings, 1)),
        description=description or " · ".join(names.values()),
        notes=[*_left_out(bundle, names), *raw.notes],
        origin=_origin(bundle, names, read),
    )


def _require_no_choices(choices: CuraChoices) -> None:
    """Raise ServiceError for choices of Cura beside presets of another slicer."""
    for field, name in choices._asdict().items():
        if name:
            title = f"{field} is of machines of Cura: leave {name[:100]!r} out."
            raise ServiceError(title, code="property-value-not-in-allowed-values", field=field)


def _settings(source: SlicerFile, actor: Person) -> Bundle | CuraProfile | bytes:
    """Return what a file has: presets of a project, a profile, or the text of a bundle.

    Raises InvalidBundle, UnknownResource, NoProject.
    """
    if source.model:
        model = warehouse.find_model(uri=source.model, user=actor)
        if model.type != "3mf" or not model.converted:
            title = f"{model.name} is no 3MF whose objects are read: only a project has settings."
            raise NoProject(title, field="model")
        if (model.file_size or 0) > MAX_PROJECT:  # where storage is remote, it is copied first
            title = (
                f"{model.name} has {model.file_size:,} bytes: send a project up to {MAX_PROJECT:,}."
            )
            raise NoProject(title, code="limit-exceeded", field="model")
        with blobs.local_copy(str(model.content_sha256)) as path, path.open("rb") as file:
            return _of_archive(file)
    data = source.content.encode()
    if source.file:
        try:
            data = b64decode("".join(source.file.split()), validate=True)
        except ValueError as error:
            title = "file is no base64: encode the bytes of the file."
            raise InvalidBundle("invalid-bundle", title) from error
    if data.startswith(ZIP_SIGNATURE):
        return _of_archive(BytesIO(data))
    return read_profile({"profile": data}) if is_instance(data) else data


def _of_archive(file: IO[bytes]) -> Bundle | CuraProfile:
    with opened(file) as archive:
        if is_profile(archive):
            return read_profile(contents_of(archive))
        return read_project(archive)


def _bundle(settings: Bundle | bytes, read: Catalogue) -> Bundle:
    if isinstance(settings, Bundle):
        return settings
    return bundles.read(settings, "content", _installed(read))


def _origin(bundle: Bundle, names: Mapping[str, str], read: Catalogue) -> dict[str, object]:
    """Return what is stored of the presets: those that they inherit from, or are themselves."""
    rows = {(row.kind, row.name): row for row in read if row.estimate_only == bundle.estimate_only}
    inherits = {}
    for kind, name in names.items():
        if row := rows.get((kind, bundle.parent(kind, name))) or rows.get((kind, name)):
            inherits[kind] = str(row.uuid)
    return {
        **({"estimate_only": True} if bundle.estimate_only else {}),
        **({"inherits": inherits} if inherits else {}),
    }


def _left_out(bundle: Bundle, names: Mapping[str, str]) -> list[Note]:
    """Return what of another slicer's presets is not used, or used otherwise."""
    title = "Not used: PrusaSlicer has no such setting."
    return [
        *(
            Note(None, key, title)
            for key in sorted({key for row in names.items() for key in bundle.dropped(*row)})
        ),
        *(
            Note(None, kind, line)
            for kind, name in names.items()
            for line in bundle.remarks(kind, name)
        ),
    ]


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
            if not names:
                title = f"The bundle has no {kind} preset: export all three kinds."
            faults.append(PresetNotNamed(title, field=kind, details=details))
    if faults:
        raise InvalidFields(faults)
    return chosen
