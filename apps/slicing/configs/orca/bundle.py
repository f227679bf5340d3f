"""Bundle of presets that were translated from OrcaSlicer or Bambu Studio."""

from collections.abc import Mapping

from apps.slicing.configs.bundles import (
    KINDS,
    MAX_LINES,
    Bundle,
    GcodeTemplates,
    InvalidBundle,
    Settings,
)
from apps.slicing.configs.orca.generic import NOTE, generic_presets
from apps.slicing.configs.orca.profiles import Kind, Profiles, Values
from apps.slicing.configs.orca.translation import TranslatedProfile, compatible, translate

ORDER: tuple[Kind, ...] = ("printer", "print", "filament")

NO_BED = "The size of its bed is unknown: its profile has no printable area."


class TranslatedBundle(Bundle):
    """Presets for estimates: without the G-code of their printers.

    origin : the program whose presets they are
    """

    estimate_only = True

    def __init__(
        self,
        identity: str,
        sections: Mapping[str, Mapping[str, Settings]],
        *,
        origin: str,
        translated: Mapping[tuple[str, str], TranslatedProfile],
        refused: Mapping[tuple[str, str], InvalidBundle],
    ):
        super().__init__(identity, sections)
        self.origin = origin
        self._translated = translated
        self._refused = refused

    def flat(self, kind: str, name: str) -> Settings:
        """Return every setting of a preset. Raises InvalidBundle, such as MissingParent."""
        if rejection := self._refused.get((kind, name)):
            raise rejection
        return super().flat(kind, name)

    def dropped(self, kind: str, name: str) -> tuple[str, ...]:
        """Return the settings of a preset's profile that have no equivalent, by name."""
        translated = self._translated.get((kind, name))
        return translated.dropped if translated else ()

    def gcode_templates(self, name: str) -> GcodeTemplates:
        """Return the G-code of a printer in its slicer's own placeholders."""
        translated = self._translated.get(("printer", name))
        return translated.templates if translated else super().gcode_templates(name)

    def remarks(self, kind: str, name: str) -> tuple[str, ...]:
        """Return what is used otherwise than the preset's profile has it."""
        translated = self._translated.get((kind, name))
        return translated.notes if translated else ()


def translated_bundle(
    profiles: Profiles, *, identity: str, vendor: str = "", version: str = "", origin: str
) -> TranslatedBundle:
    """Return the profiles that can be chosen as presets.

    A profile that cannot be resolved stays in the bundle, with the reason. Raises InvalidBundle
    where all together have too many settings.
    """
    sections: dict[str, dict[str, Settings]] = {kind: {} for kind in KINDS}
    translated: dict[tuple[str, str], TranslatedProfile] = {}
    refused: dict[tuple[str, str], InvalidBundle] = {}
    nozzles: dict[str, float] = {}
    count = 0
    for row in sorted(profiles, key=lambda row: ORDER.index(row.kind)):
        if row.is_base:
            continue
        sections[row.kind][row.name] = {}
        try:
            values = profiles.settings(row.kind, row.name)
            result = translate(row.kind, values, nozzle=_nozzle(values, nozzles))
        except InvalidBundle as rejection:
            if rejection.code == "limit-exceeded":
                raise
            refused[row.kind, row.name] = rejection
            continue
        if row.kind == "printer":
            if "bed_shape" not in result.settings:
                refused[row.kind, row.name] = InvalidBundle("invalid-bundle", NO_BED)
                continue
            nozzles[row.name] = float(result.settings.get("nozzle_diameter", 0.4))
        translated[row.kind, row.name] = result
        sections[row.kind][row.name] = result.settings
        count += len(result.settings)
        if count > MAX_LINES * len(KINDS):
            title = f"The profiles have more than {MAX_LINES * len(KINDS):,} settings."
            raise InvalidBundle("limit-exceeded", title)
    for kind, name, settings in list(generic_presets(sections)):
        if name not in sections[kind]:
            sections[kind][name] = settings
            translated[kind, name] = TranslatedProfile(settings, (), (NOTE,))
    about = {"name": vendor or identity, "config_version": version}
    return TranslatedBundle(
        identity,
        {**sections, "vendor": {"": about}},
        origin=origin,
        translated=translated,
        refused=refused,
    )


def _nozzle(values: Values, nozzles: Mapping[str, float]) -> float | None:
    """Return the nozzle diameter of the printers that a profile is for, where they have one."""
    sizes = {nozzles[name] for name in compatible(values) if name in nozzles}
    return sizes.pop() if len(sizes) == 1 else None
