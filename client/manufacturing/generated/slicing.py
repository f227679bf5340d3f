"""Slicing: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

ConfigsFilters = TypedDict("ConfigsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "engine": Filter,
    "fitted": Filter, "kind": Filter, "uri": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
ConfigNote = TypedDict("ConfigNote", {"line": int | None, "key": str, "title": str})
ConfigPreset = TypedDict("ConfigPreset", {
    "printer": str, "print": str, "filament": str, "names": dict[str, str], "extruder": int,
    "vendor": str, "version": str, "estimate_only": bool, "printer_gcode": str | None,
    "outdated": bool,
})
Config = TypedDict("Config", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "engine": str, "kind": str,
    "description": str | None, "parameters": JsonObject, "content": str, "notes": list[ConfigNote],
    "preset": ConfigPreset | None, "estimate_only": bool, "inherits": list[str], "fitted": bool,
    "shop_engine": str | None,
})
BundleConfigRequest = TypedDict("BundleConfigRequest", {
    "content": str | None, "file": str | None, "model": Ref | None, "printer": str | None,
    "print": str | None, "filament": str | None, "nozzle": str | None, "material": str | None,
    "quality": str | None, "intent": str | None, "description": str | None,
}, total=False)
ConfigRequest = TypedDict("ConfigRequest", {
    "engine": Required[Literal["slic3r", "cura"]], "description": str | None,
    "parameters": JsonObject, "material": str | None, "print_quality": str | None,
    "filament_diameter": float | None, "nozzle_diameter": float | None,
    "infill_density": float | None, "infill_speed": float | None,
    "extruder_temperature": float | None, "bed_temperature": float | None, "perimeters": int | None,
    "perimeter_speed": float | None, "support": bool | None, "raft": bool | None,
}, total=False)
PresetConfigRequest = TypedDict("PresetConfigRequest", {
    "description": str | None, "printer": Required[Ref], "print": Ref | None,
    "filament": Ref | None, "extruder": int | None, "overrides": JsonObject,
    "printer_gcode": Ref | None,
}, total=False)
RawConfigRequest = TypedDict("RawConfigRequest", {
    "engine": Literal["slic3r", "cura"], "description": NotRequired[str | None], "content": str,
})
ConfigChange = TypedDict("ConfigChange", {
    "engine": Literal["slic3r", "cura"], "description": str | None, "parameters": JsonObject,
    "material": str | None, "print_quality": str | None, "filament_diameter": float | None,
    "nozzle_diameter": float | None, "infill_density": float | None, "infill_speed": float | None,
    "extruder_temperature": float | None, "bed_temperature": float | None, "perimeters": int | None,
    "perimeter_speed": float | None, "support": bool | None, "raft": bool | None,
}, total=False)
Compared = TypedDict("Compared", {"uri": str, "name": str | None, "version": str | None})
Difference = TypedDict("Difference", {
    "kind": str, "key": str, "first": str | None, "second": str | None, "shortened": bool,
})
Differences = TypedDict("Differences", {
    "first": Compared, "second": Compared, "count": int, "equal": int,
    "differences": list[Difference],
})
ConfigEngineRequest = TypedDict("ConfigEngineRequest", {"engine": Ref | None})
ConstraintModelsFilters = TypedDict("ConstraintModelsFilters", {
    "constraint": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "model_uri": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Association = TypedDict("Association", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "constraint": str,
    "model_uri": str,
})
AssociationRequest = TypedDict("AssociationRequest", {"constraint": Ref, "model_uri": Ref})
AssociationChange = TypedDict("AssociationChange", {
    "constraint": Ref, "model_uri": Ref,
}, total=False)
ConstraintsFilters = TypedDict("ConstraintsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "name": Filter, "uri": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Constraint = TypedDict("Constraint", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "name": str,
    "description": str | None, "parameters": JsonObject,
})
ConstraintRequest = TypedDict("ConstraintRequest", {
    "name": Required[str], "description": str | None, "parameters": Required[JsonObject],
    "material": JsonObject, "print_quality": JsonObject, "filament_diameter": JsonObject,
    "nozzle_diameter": JsonObject, "infill_density": JsonObject, "infill_speed": JsonObject,
    "extruder_temperature": JsonObject, "bed_temperature": JsonObject, "perimeters": JsonObject,
    "perimeter_speed": JsonObject, "support": JsonObject, "raft": JsonObject,
}, total=False)
ConstraintChange = TypedDict("ConstraintChange", {
    "name": str, "description": str | None, "parameters": JsonObject, "material": JsonObject,
    "print_quality": JsonObject, "filament_diameter": JsonObject, "nozzle_diameter": JsonObject,
    "infill_density": JsonObject, "infill_speed": JsonObject, "extruder_temperature": JsonObject,
    "bed_temperature": JsonObject, "perimeters": JsonObject, "perimeter_speed": JsonObject,
    "support": JsonObject, "raft": JsonObject,
}, total=False)
CuraMachinesFilters = TypedDict("CuraMachinesFilters", {
    "identifier": Filter, "manufacturer": Filter, "uri": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
CuraVolume = TypedDict("CuraVolume", {"x": float, "y": float, "z": float})
CuraMachine = TypedDict("CuraMachine", {
    "uri": str, "identifier": str, "name": str, "manufacturer": str | None,
    "build_volume": CuraVolume | None, "filament_diameter": float, "engine_version": str,
})
CuraMaterial = TypedDict("CuraMaterial", {
    "identifier": str, "name": str, "brand": str | None, "type": str,
})
CuraQuality = TypedDict("CuraQuality", {"quality": str, "name": str, "layer_height": float | None})
CuraChoices = TypedDict("CuraChoices", {
    "nozzles": list[str], "materials": list[CuraMaterial], "qualities": list[CuraQuality],
    "intents": list[str], "nozzle": str | None, "material": str | None, "quality": str | None,
})
EnginesFilters = TypedDict("EnginesFilters", {
    "engine": Filter, "in_shop": Filter, "uri": Filter, "usable": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Engine = TypedDict("Engine", {
    "uri": str, "engine": str, "name": str, "version": str | None, "usable": bool,
    "reasons": list[str], "notes": list[str], "in_shop": bool, "program": str | None,
    "origin": str | None, "bureau": str | None, "agent": str | None, "isolation": str | None,
    "seen": str | None,
})
GcodesFilters = TypedDict("GcodesFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "file_size": Filter,
    "file_size_from": Filter, "file_size_to": Filter, "status": Filter, "updated": Filter,
    "updated_from": Filter, "updated_to": Filter, "uri": Filter, "queue": Filter,
    "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Place = TypedDict("Place", {"before": int, "seconds": int})
Error = TypedDict("Error", {
    "code": Required[str], "title": Required[str], "field": str, "details": JsonObject,
}, total=False)
Gcode = TypedDict("Gcode", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "queue": Place | None,
    "name": str | None, "status": str, "content": str | None, "errors": list[Error] | None,
    "figures": JsonObject | None, "metadata": JsonObject | None, "plate": int | None,
    "file_size": int | None,
})
GcodeRequest = TypedDict("GcodeRequest", {"name": str | None}, total=False)
GcodeUpload = TypedDict("GcodeUpload", {"name": str | None}, total=False)
GcodeChange = TypedDict("GcodeChange", {"name": str | None}, total=False)
GcodeLayersFilters = TypedDict("GcodeLayersFilters", {"limit": int}, total=False)
Layer = TypedDict("Layer", {
    "uri": str, "number": int, "z": float, "height": float, "filament_mm": float,
    "build_time_seconds": float, "lines": int, "travels": int, "bounds": list[list[float]],
})
Path = TypedDict("Path", {"feature": str, "width": float, "points": list[float]})
DrawnLayer = TypedDict("DrawnLayer", {
    "uri": str, "number": int, "z": float, "height": float, "filament_mm": float,
    "build_time_seconds": float, "lines": int, "travels": int, "bounds": list[list[float]],
    "complete": bool, "paths": list[Path],
})
Paths = TypedDict("Paths", {"status": str, "errors": list[Error] | None, "content": str | None})
PresetsFilters = TypedDict("PresetsFilters", {
    "engine": Filter, "estimate_only": Filter, "filament_type": Filter, "kind": Filter,
    "layer_height": Filter, "layer_height_from": Filter, "layer_height_to": Filter,
    "nozzle_diameter": Filter, "nozzle_diameter_from": Filter, "nozzle_diameter_to": Filter,
    "origin": Filter, "print": Filter, "printer": Filter, "printer_model": Filter, "uri": Filter,
    "usable": Filter, "vendor": Filter, "search": dict[str, str], "sort": str, "limit": int,
}, total=False)
Outline = TypedDict("Outline", {"outline": list[list[float]], "height": float | None})
Preset = TypedDict("Preset", {
    "uri": str, "name": str, "kind": str, "vendor": str, "version": str, "engine": str,
    "engine_version": str, "origin": str, "estimate_only": bool, "has_start_gcode": bool | None,
    "dropped": list[str], "usable": bool, "reasons": list[str], "notes": list[str],
    "printer_model": str | None, "nozzle_diameter": float | None, "extruders": int | None,
    "bed": Outline | None, "firmware": str | None, "thumbnails": list[str] | None,
    "limits": JsonObject | None, "default_print": str | None, "default_filament": str | None,
    "layer_height": float | None, "supports": bool | None, "brim": float | None,
    "filament_type": str | None, "filament_diameter": float | None, "density": float | None,
    "cost_per_kg": float | None, "temperatures": JsonObject | None,
})
Unresolved = TypedDict("Unresolved", {"line": int, "name": str, "title": str})
Assumption = TypedDict("Assumption", {"name": str, "value": str, "reason": str})
ProposedGcode = TypedDict("ProposedGcode", {
    "field": str, "original": str, "text": str, "unresolved": list[Unresolved],
    "assumed": list[Assumption],
})
GcodeProposal = TypedDict("GcodeProposal", {
    "printer": str, "name": str, "origin": str, "complete": bool, "gcodes": list[ProposedGcode],
    "warnings": list[str],
})
GcodeTextsRequest = TypedDict("GcodeTextsRequest", {
    "start_gcode": Required[str], "end_gcode": Required[str], "before_layer_gcode": str | None,
    "layer_gcode": str | None,
}, total=False)
PrinterGcodesFilters = TypedDict("PrinterGcodesFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "printer": Filter,
    "status": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
PrinterGcode = TypedDict("PrinterGcode", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "printer": str, "name": str,
    "status": str, "errors": list[Error] | None, "start_gcode": str,
    "before_layer_gcode": str | None, "layer_gcode": str | None, "end_gcode": str,
    "test": JsonObject | None, "outdated": bool,
})
PrinterGcodeRequest = TypedDict("PrinterGcodeRequest", {
    "start_gcode": str, "end_gcode": str, "before_layer_gcode": NotRequired[str | None],
    "layer_gcode": NotRequired[str | None], "printer": Ref, "confirm": bool,
})
SlicesFilters = TypedDict("SlicesFilters", {
    "config": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "engine": Filter, "model": Filter, "slice_time": Filter, "slice_time_from": Filter,
    "slice_time_to": Filter, "status": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "queue": Filter, "search": dict[str, str], "sort": str,
    "limit": int,
}, total=False)
Callback = TypedDict("Callback", {"url": str, "method": str})
SliceEstimates = TypedDict("SliceEstimates", {
    "build_time_seconds": float | None, "support_volume_cc": float | None,
    "build_volume_cc": float | None,
})
Slice = TypedDict("Slice", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "callback": Callback | None,
    "queue": Place | None, "model": str, "config": str, "status": str, "progress": float,
    "stage": str | None, "content": str | None, "slice_time": int | None,
    "estimates": SliceEstimates, "figures": JsonObject | None, "errors": list[Error] | None,
    "warnings": list[Error], "engine": str, "engine_version": str | None, "program": str | None,
    "model_sha256": str | None, "config_sha256": str, "run": str | None,
})
CallbackRequest = TypedDict("CallbackRequest", {
    "url": Required[str], "method": Literal["GET", "POST", "PUT"],
}, total=False)
SliceRequest = TypedDict("SliceRequest", {
    "callback": NotRequired[CallbackRequest | None], "model": Ref, "config": Ref,
})
Money = TypedDict("Money", {"amount": float, "currency": str})
UsedParameter = TypedDict("UsedParameter", {"value": Any, "source": str})
Preview = TypedDict("Preview", {
    "model": str, "config": str, "accepted": bool, "refusals": list[Error], "cost": Money | None,
    "failures": list[Error], "warnings": list[Error], "cached": bool, "slice_time": int | None,
    "estimates": SliceEstimates, "engine": str, "engine_version": str | None,
    "parameters": dict[str, UsedParameter],
})
SliceChange = TypedDict("SliceChange", {
    "callback": CallbackRequest | None, "model": Ref, "config": Ref,
}, total=False)
EventsFilters = TypedDict("EventsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "sequence": Filter,
    "sequence_from": Filter, "sequence_to": Filter, "type": Filter, "uri": Filter, "sort": str,
    "limit": int,
}, total=False)
Outcome = TypedDict("Outcome", {
    "outcome": str, "count": int, "first": str, "last": str, "milliseconds": int,
    "answer": str | None,
})
Delivery = TypedDict("Delivery", {
    "webhook_id": str, "url": str, "method": str, "subscription": str | None, "state": str,
    "attempts": int, "outcomes": list[Outcome], "error": str | None, "created": str,
    "next_attempt": str | None, "delivered": str | None, "replayed": str | None,
})
Event = TypedDict("Event", {
    "position": int, "type": str, "sequence": int, "created": str, "changes": JsonObject,
    "deliveries": list[Delivery],
})
SliceLayersFilters = TypedDict("SliceLayersFilters", {"limit": int}, total=False)
ObjectsFilters = TypedDict("ObjectsFilters", {"limit": int}, total=False)
PlateObject = TypedDict("PlateObject", {
    "name": str, "piece": str | None, "model": str | None, "time_seconds": float,
    "filament_mm": float, "volume_cc": float, "support_cc": float, "mass_g": float | None,
    "first_layer": int | None, "last_layer": int | None, "box": list[list[float]] | None,
})
SliceSettings = TypedDict("SliceSettings", {
    "layer_height": float | None, "presets": dict[str, str] | None,
    "parameters": dict[str, UsedParameter],
})


class Slicing(Methods):
    """Slicing: configs, presets, constraints, slices and G-code."""

    NAME = "slicing"

    def configs(self, **filters: Unpack[ConfigsFilters]) -> Iterator[Config]:
        """List configs."""
        return self._list(self._at("/config/"), filters)

    def bundle(self, **fields: Unpack[BundleConfigRequest]) -> Config:
        """Create a config from a config bundle."""
        return self._post(self._at("/config/bundle/"), fields)

    def curated(self, **fields: Unpack[ConfigRequest]) -> Config:
        """Create a config from curated parameters."""
        return self._post(
            self._at("/config/curated/"), fields, "material", "print_quality", "filament_diameter",
            "nozzle_diameter", "infill_density", "infill_speed", "extruder_temperature",
            "bed_temperature", "perimeters", "perimeter_speed", "support", "raft",
        )

    def preset(self, **fields: Unpack[PresetConfigRequest]) -> Config:
        """Create a config from presets."""
        return self._post(self._at("/config/preset/"), fields)

    def raw(self, **fields: Unpack[RawConfigRequest]) -> Config:
        """Create a config from a config file of the engine."""
        return self._post(self._at("/config/raw/"), fields)

    def get_config(self, config: Ref) -> Config:
        """Get a config."""
        return self._get(config)

    def change_config(self, config: Ref, /, **fields: Unpack[ConfigChange]) -> None:
        """Update a config."""
        self._put(
            config, fields, "material", "print_quality", "filament_diameter", "nozzle_diameter",
            "infill_density", "infill_speed", "extruder_temperature", "bed_temperature",
            "perimeters", "perimeter_speed", "support", "raft",
        )

    def delete_config(self, config: Ref) -> None:
        """Delete a config."""
        self._client.delete(config)

    def config_differences(self, config: Ref, *, other: Filter = None) -> Differences:
        """Compare a config with another, or with its presets."""
        return self._get(self._at("differences/", config), other=other)

    def config_engine(self, config: Ref, /, **fields: Unpack[ConfigEngineRequest]) -> Config:
        """Create an equal config with another engine."""
        return self._post(self._at("engine/", config), fields)

    def constraint_models(
        self, **filters: Unpack[ConstraintModelsFilters],
    ) -> Iterator[Association]:
        """List associations."""
        return self._list(self._at("/constraint-model/"), filters)

    def constraint_model(self, **fields: Unpack[AssociationRequest]) -> Association:
        """Create an association."""
        return self._post(self._at("/constraint-model/"), fields)

    def get_constraint_model(self, constraint_model: Ref) -> Association:
        """Get an association."""
        return self._get(constraint_model)

    def change_constraint_model(
        self, constraint_model: Ref, /, **fields: Unpack[AssociationChange],
    ) -> None:
        """Update an association."""
        self._put(constraint_model, fields)

    def delete_constraint_model(self, constraint_model: Ref) -> None:
        """Delete an association."""
        self._client.delete(constraint_model)

    def constraints(self, **filters: Unpack[ConstraintsFilters]) -> Iterator[Constraint]:
        """List constraints."""
        return self._list(self._at("/constraint/"), filters)

    def constraint(self, **fields: Unpack[ConstraintRequest]) -> Constraint:
        """Create a constraint."""
        return self._post(
            self._at("/constraint/"), fields, "material", "print_quality", "filament_diameter",
            "nozzle_diameter", "infill_density", "infill_speed", "extruder_temperature",
            "bed_temperature", "perimeters", "perimeter_speed", "support", "raft",
        )

    def get_constraint(self, constraint: Ref) -> Constraint:
        """Get a constraint."""
        return self._get(constraint)

    def change_constraint(self, constraint: Ref, /, **fields: Unpack[ConstraintChange]) -> None:
        """Update a constraint."""
        self._put(
            constraint, fields, "material", "print_quality", "filament_diameter", "nozzle_diameter",
            "infill_density", "infill_speed", "extruder_temperature", "bed_temperature",
            "perimeters", "perimeter_speed", "support", "raft",
        )

    def delete_constraint(self, constraint: Ref) -> None:
        """Delete a constraint."""
        self._client.delete(constraint)

    def cura_machines(self, **filters: Unpack[CuraMachinesFilters]) -> Iterator[CuraMachine]:
        """List machines of Cura."""
        return self._list(self._at("/cura-machine/"), filters)

    def get_cura_machine(self, cura_machine: Ref) -> CuraMachine:
        """Get a machine of Cura."""
        return self._get(cura_machine)

    def cura_machine_choices(
        self, cura_machine: Ref, *, material: Filter = None, nozzle: Filter = None,
        quality: Filter = None,
    ) -> CuraChoices:
        """Get what can be chosen of a machine of Cura."""
        return self._get(
            self._at("choices/", cura_machine), material=material, nozzle=nozzle, quality=quality,
        )

    def engines(self, **filters: Unpack[EnginesFilters]) -> Iterator[Engine]:
        """List engines."""
        return self._list(self._at("/engine/"), filters)

    def get_engine(self, engine: Ref) -> Engine:
        """Get an engine."""
        return self._get(engine)

    def gcodes(self, **filters: Unpack[GcodesFilters]) -> Iterator[Gcode]:
        """List gcodes."""
        return self._list(self._at("/gcode/"), filters, "queue")

    def gcode(self, **fields: Unpack[GcodeRequest]) -> Gcode:
        """Create a gcode."""
        return self._post(self._at("/gcode/"), fields)

    def upload(
        self, file: LocalFile, /, *, progress: Progress | None = None, idempotency_key: str = "",
        **fields: Unpack[GcodeUpload],
    ) -> Gcode:
        """Create a new gcode and upload its file; the name defaults to the file's."""
        return self._upload("/gcode/", file, progress, idempotency_key, fields)

    def get_gcode(self, gcode: Ref) -> Gcode:
        """Get a gcode."""
        return self._get(gcode)

    def change_gcode(self, gcode: Ref, /, **fields: Unpack[GcodeChange]) -> None:
        """Update a gcode."""
        self._put(gcode, fields)

    def delete_gcode(self, gcode: Ref) -> None:
        """Delete a gcode."""
        self._client.delete(gcode)

    def gcode_layers(self, gcode: Ref, /, **filters: Unpack[GcodeLayersFilters]) -> Iterator[Layer]:
        """List the layers of a G-code file."""
        return self._list(self._at("layers/", gcode), filters)

    def get_gcode_layer(self, layer: Ref) -> DrawnLayer:
        """Get a layer of a G-code file."""
        return self._get(layer)

    def gcode_paths(self, gcode: Ref) -> Paths:
        """Get the URL of the toolpaths of a G-code file."""
        return self._get(self._at("paths/", gcode))

    def presets(self, **filters: Unpack[PresetsFilters]) -> Iterator[Preset]:
        """List presets."""
        return self._list(self._at("/preset/"), filters)

    def get_preset(self, preset: Ref) -> Preset:
        """Get a preset."""
        return self._get(preset)

    def preset_differences(self, preset: Ref, *, other: Filter = None) -> Differences:
        """Compare a preset with another, or with a config."""
        return self._get(self._at("differences/", preset), other=other)

    def preset_gcode_proposal(self, preset: Ref) -> GcodeProposal:
        """Get the proposed start and end G-code of a printer."""
        return self._get(self._at("gcode-proposal/", preset))

    def preset_gcode_translation(
        self, preset: Ref, /, **fields: Unpack[GcodeTextsRequest],
    ) -> GcodeProposal:
        """Translate start and end G-code."""
        return self._post(self._at("gcode-translation/", preset), fields)

    def printer_gcodes(self, **filters: Unpack[PrinterGcodesFilters]) -> Iterator[PrinterGcode]:
        """List confirmed G-code of printers."""
        return self._list(self._at("/printer-gcode/"), filters)

    def printer_gcode(self, **fields: Unpack[PrinterGcodeRequest]) -> PrinterGcode:
        """Confirm the start and end G-code of a printer."""
        return self._post(self._at("/printer-gcode/"), fields)

    def get_printer_gcode(self, printer_gcode: Ref) -> PrinterGcode:
        """Get confirmed G-code."""
        return self._get(printer_gcode)

    def delete_printer_gcode(self, printer_gcode: Ref) -> None:
        """Delete confirmed G-code."""
        self._client.delete(printer_gcode)

    def slices(self, **filters: Unpack[SlicesFilters]) -> Iterator[Slice]:
        """List slices."""
        return self._list(self._at("/slice/"), filters, "queue")

    def slice(self, **fields: Unpack[SliceRequest]) -> Slice:
        """Create a slice."""
        return self._post(self._at("/slice/"), fields)

    def try_slice(self, **fields: Unpack[SliceRequest]) -> Preview:
        """Create a slice, as a dry run: nothing is created."""
        return self._post(self._at("/slice/") + "?dry_run=true", fields)

    def get_slice(self, slice: Ref) -> Slice:
        """Get a slice."""
        return self._get(slice)

    def change_slice(self, slice: Ref, /, **fields: Unpack[SliceChange]) -> None:
        """Update a slice."""
        self._put(slice, fields)

    def delete_slice(self, slice: Ref) -> None:
        """Delete a slice."""
        self._client.delete(slice)

    def slice_events(self, slice: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of a slice."""
        return self._list(self._at("events/", slice), filters)

    def slice_events_replay(self, slice: Ref, seq: object) -> Event:
        """Replay an event of a slice."""
        return self._post(self._at("events/{}/replay/", slice, seq), {})

    def slice_layers(self, slice: Ref, /, **filters: Unpack[SliceLayersFilters]) -> Iterator[Layer]:
        """List the layers of a slice."""
        return self._list(self._at("layers/", slice), filters)

    def get_slice_layer(self, layer: Ref) -> DrawnLayer:
        """Get a layer of a slice."""
        return self._get(layer)

    def slice_objects(
        self, slice: Ref, /, **filters: Unpack[ObjectsFilters],
    ) -> Iterator[PlateObject]:
        """List time and material of each object of a plate."""
        return self._list(self._at("objects/", slice), filters)

    def slice_paths(self, slice: Ref) -> Paths:
        """Get the URL of the toolpaths of a slice."""
        return self._get(self._at("paths/", slice))

    def slice_settings(self, slice: Ref) -> SliceSettings:
        """Get the effective settings of a slice."""
        return self._get(self._at("settings/", slice))
