"""Checks the constraints of a model and its ancestors."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from apps.slicing.configs.effective_values import curated_values
from apps.slicing.configs.parameters import PARAMETERS, effective, sources
from apps.slicing.domain.constraints import violations
from apps.slicing.domain.installed_engines import settings_of
from apps.slicing.engines.base import SliceFailed
from apps.slicing.models import Association, Config
from apps.slicing.queries import binding_on
from core.errors import ErrorEntry, error_entry

# Engines round temperatures to whole degrees.
ROUNDING = 0.5


@dataclass(frozen=True)
class Use:
    """The values that a config results in.

    values  : parameter -> all its values, or None where they are unknown
    sources : parameter -> "config" or "default"
    """

    values: Mapping[str, Collection | None]
    sources: Mapping[str, str]


def use_of(config: Config) -> Use:
    """The curated parameters that slicing with this config will use."""
    if config.kind == Config.Kind.CURATED:
        values = effective(config.parameters)
        return Use({key: {value} for key, value in values.items()}, sources(config.parameters))
    try:
        used = curated_values(config.engine, settings_of(config))
    except SliceFailed:  # it cannot be sliced either
        used = dict.fromkeys(PARAMETERS)
    return Use(used, dict.fromkeys(used, "config"))


def broken_constraints(model_uri: str, config: Config) -> list[ErrorEntry]:
    """An entry for each rule that slicing the model would break; none where it may be sliced."""
    binding = list(binding_on(model_uri))
    return _broken(binding, use_of(config)) if binding else []


def broken_by_gcode(model_uri: str, config: Config, figures: Mapping[str, Any]) -> list[ErrorEntry]:
    """The same for the temperatures of finished gcode, where they are above the config's own.

    A macro in a raw config can ask for a temperature that no reader of the config foresees.
    """
    binding = list(binding_on(model_uri))
    if not binding:
        return []
    highest = {
        "extruder_temperature": figures["highest_nozzle_temperature"],
        "bed_temperature": figures["highest_bed_temperature"],
    }
    promised = use_of(config).values
    hotter = {
        key: {asked}
        for key, asked in highest.items()
        if asked is not None and asked > max(promised[key] or (0,)) + ROUNDING
    }
    return _broken(binding, Use(hotter, dict.fromkeys(hotter, "gcode")))


def _broken(binding: list[Association], use: Use) -> list[ErrorEntry]:
    return [
        error_entry(
            "constraint-violation",
            broken.title,
            details={
                "constraint": association.constraint.uri,
                "association": association.uri,
                "parameter": broken.parameter,
                "operator": broken.operator,
                "expected": broken.expected,
                "actual": broken.actual,
                "source": broken.source,
            },
        )
        for association in binding
        for broken in violations(association.constraint.parameters, use.values, use.sources)
    ]
