"""Models: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

ModelsFilters = TypedDict("ModelsFilters", {
    "analyses.manifold": Filter, "created": Filter, "created_from": Filter, "created_to": Filter,
    "file_size": Filter, "file_size_from": Filter, "file_size_to": Filter, "folder": Filter,
    "name": Filter, "newest_version": Filter, "parent": Filter, "size.x": Filter,
    "size.x_from": Filter, "size.x_to": Filter, "size.y": Filter, "size.y_from": Filter,
    "size.y_to": Filter, "size.z": Filter, "size.z_from": Filter, "size.z_to": Filter,
    "status": Filter, "tag": Filter, "type": Filter, "updated": Filter, "updated_from": Filter,
    "updated_to": Filter, "uri": Filter, "user_uri": Filter, "volume_mm": Filter,
    "volume_mm_from": Filter, "volume_mm_to": Filter, "queue": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Callback = TypedDict("Callback", {"url": str, "method": str})
Place = TypedDict("Place", {"before": int, "seconds": int})
Error = TypedDict("Error", {
    "code": Required[str], "title": Required[str], "field": str, "details": JsonObject,
}, total=False)
AllowedTransformations = TypedDict("AllowedTransformations", {"resize": bool, "rotation": bool})
Brackets = TypedDict("Brackets", {"width": float, "gap": float, "thickness": float})
Vector = TypedDict("Vector", {"x": float, "y": float, "z": float})
Build = TypedDict("Build", {"build": Vector})
Applied = TypedDict("Applied", {
    "type": Required[str], "parametersBrackets": Brackets, "parametersAutoRotate": Build,
    "parametersRotate": Vector, "parametersAutoScale": Build, "parametersScale": Vector,
    "parametersAutoTranslate": Build, "parametersTranslate": Vector,
    "result": Required[JsonObject | None],
}, total=False)
Printability = TypedDict("Printability", {
    "version": int | None, "overhang_area": float | None, "overhang_share": float | None,
    "contact_area": float | None, "shells": int | None, "smallest_shell": float | None,
    "cavities": int | None, "inverted_shells": int | None, "thinnest_wall": float | None,
    "thinnest_wall_at": list[float] | None, "thin_wall": float | None,
    "thin_wall_at": list[float] | None, "narrowest_gap": float | None,
    "narrowest_gap_at": list[float] | None, "rays": int | None, "probable_unit": JsonObject | None,
    "errors": list[Error] | None,
})
Analysis = TypedDict("Analysis", {
    "version": int | None, "triangles": int | None, "manifold": bool | None,
    "open_edges": int | None, "nonmanifold_edges": int | None, "touching_edges": int | None,
    "misoriented_edges": int | None, "holes": int | None, "degenerate": int | None,
    "duplicates": int | None, "size": list[float] | None, "bounds": list[list[float]] | None,
    "surface_area": float | None, "volume": float | None, "inverted": bool | None,
    "printability": Printability | None,
})
Size = TypedDict("Size", {"x": float | None, "y": float | None, "z": float | None})
Conversion = TypedDict("Conversion", {
    "status": str, "operation": str | None, "models": list[str], "receipt": JsonObject | None,
    "payment_status": str | None, "errors": list[Error] | None,
})
Instance = TypedDict("Instance", {"plate": int | None, "transform": list[list[float]]})
Source = TypedDict("Source", {
    "file": str | None, "object": str | None, "name": str | None, "instances": list[Instance],
    "unit": str, "color": str | None, "material": str | None,
})
Model = TypedDict("Model", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "analyses.manifold": bool | None,
    "callback": Callback | None, "queue": Place | None, "name": str, "type": str, "status": str,
    "errors": list[Error] | None, "allowed_transformations": AllowedTransformations,
    "unit": str | None, "transformations": list[Applied] | None, "snapshot": str | None,
    "snapshot_content": str | None, "preview": str | None, "thumbnail": str | None,
    "thumbnail_content": str | None, "content": str | None, "analyses": Analysis, "size": Size,
    "volume_mm": float | None, "surface_area_mm": float | None, "polygons": int | None,
    "file_size": int | None, "parents": list[str], "children": list[str],
    "conversion": Conversion | None, "source": Source | None,
})
CallbackRequest = TypedDict("CallbackRequest", {
    "url": Required[str], "method": Literal["GET", "POST", "PUT"],
}, total=False)
AllowedTransformationsRequest = TypedDict("AllowedTransformationsRequest", {
    "resize": bool, "rotation": bool,
}, total=False)
ModelRequest = TypedDict("ModelRequest", {
    "callback": CallbackRequest | None, "name": Required[str],
    "type": Literal["stl", "obj", "ply", "off", "gltf", "glb", "3mf", "step", "iges", "zip", "pdf"],
    "allowed_transformations": AllowedTransformationsRequest, "unit": str | None, "convert": bool,
}, total=False)
ModelUpload = TypedDict("ModelUpload", {
    "callback": CallbackRequest | None, "name": str,
    "type": Literal["stl", "obj", "ply", "off", "gltf", "glb", "3mf", "step", "iges", "zip", "pdf"],
    "allowed_transformations": AllowedTransformationsRequest, "unit": str | None, "convert": bool,
}, total=False)
LabelsFilters = TypedDict("LabelsFilters", {
    "folder": Filter, "model": Filter, "tag": Filter, "uri": Filter, "sort": str, "limit": int,
}, total=False)
Label = TypedDict("Label", {
    "uri": str, "created": str, "updated": str, "model": str, "folder": str | None,
    "tags": list[str],
})
LabelChangeRequest = TypedDict("LabelChangeRequest", {
    "model": Required[Ref], "folder": str | None, "tags": list[str], "add_tags": list[str],
    "remove_tags": list[str],
}, total=False)
LabelsRequest = TypedDict("LabelsRequest", {"labels": list[LabelChangeRequest]})
VersionsFilters = TypedDict("VersionsFilters", {
    "model": Filter, "uri": Filter, "versions_of": Filter, "sort": str, "limit": int,
}, total=False)
ModelVersion = TypedDict("ModelVersion", {
    "uri": str, "created": str, "updated": str, "model": str, "replaces": str | None, "newest": str,
    "number": int, "note": str | None, "user_uri": str | None,
})
ModelVersionRequest = TypedDict("ModelVersionRequest", {
    "model": Ref, "replaces": Ref | None, "note": NotRequired[str | None],
})
ModelVersionChange = TypedDict("ModelVersionChange", {
    "model": Ref, "replaces": Ref | None, "note": str | None,
}, total=False)
Rendition = TypedDict("Rendition", {
    "status": str, "errors": list[Error] | None, "content": str | None,
})
ModelSnapshotsFilters = TypedDict("ModelSnapshotsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "status": Filter,
    "uri": Filter, "queue": Filter, "sort": str, "limit": int,
}, total=False)
Snapshot = TypedDict("Snapshot", {
    "queue": Place | None, "uri": str, "model": str, "status": str, "progress": float,
    "errors": list[Error] | None, "samples": int, "layer": int | None, "slice_height": float | None,
    "color": str | None, "transparent": bool, "height": int, "width": int, "x": float | None,
    "y": float | None, "z": float | None, "u": float | None, "v": float | None, "w": float | None,
    "content": str | None, "created": str,
})
SnapshotRequest = TypedDict("SnapshotRequest", {
    "samples": int, "layer": int | None, "slice_height": float | None, "color": str | None,
    "transparent": bool, "height": int, "width": int, "x": float | None, "y": float | None,
    "z": float | None, "u": float | None, "v": float | None, "w": float | None,
    "callback": CallbackRequest | None,
}, total=False)
SnapshotChange = TypedDict("SnapshotChange", {
    "samples": int, "layer": int | None, "slice_height": float | None, "color": str | None,
    "transparent": bool, "height": int, "width": int, "x": float | None, "y": float | None,
    "z": float | None, "u": float | None, "v": float | None, "w": float | None,
    "callback": CallbackRequest | None,
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
BracketsRequest = TypedDict("BracketsRequest", {"width": float, "gap": float, "thickness": float})
PositiveRequest = TypedDict("PositiveRequest", {"x": float, "y": float, "z": float})
BuildRequest = TypedDict("BuildRequest", {"build": PositiveRequest})
VectorRequest = TypedDict("VectorRequest", {"x": float, "y": float, "z": float})
StepRequest = TypedDict("StepRequest", {
    "type": Required[Literal["bracket", "auto-rotate", "rotate", "auto-scale", "scale", "auto-translate", "translate"]],
    "parametersBrackets": BracketsRequest, "parametersAutoRotate": BuildRequest,
    "parametersRotate": VectorRequest, "parametersAutoScale": BuildRequest,
    "parametersScale": PositiveRequest, "parametersAutoTranslate": BuildRequest,
    "parametersTranslate": VectorRequest,
}, total=False)
TransformationsRequest = TypedDict("TransformationsRequest", {
    "transformations": Required[list[StepRequest]], "callback": CallbackRequest | None,
}, total=False)
ModelChange = TypedDict("ModelChange", {
    "callback": CallbackRequest | None, "name": str,
    "type": Literal["stl", "obj", "ply", "off", "gltf", "glb", "3mf", "step", "iges", "zip", "pdf"],
    "allowed_transformations": AllowedTransformationsRequest, "unit": str | None, "convert": bool,
}, total=False)


class Models(Methods):
    """3D models: upload, analysis, transformation, snapshots and preview meshes."""

    NAME = "models"

    def models(self, **filters: Unpack[ModelsFilters]) -> Iterator[Model]:
        """List models."""
        return self._list(self._at("/model/"), filters, "queue")

    def model(self, **fields: Unpack[ModelRequest]) -> Model:
        """Create a model."""
        return self._post(self._at("/model/"), fields)

    def upload(
        self, file: LocalFile, /, *, progress: Progress | None = None, idempotency_key: str = "",
        **fields: Unpack[ModelUpload],
    ) -> Model:
        """Create a new model and upload its file; the name defaults to the file's."""
        return self._upload("/model/", file, progress, idempotency_key, fields)

    def labels(self, **filters: Unpack[LabelsFilters]) -> Iterator[Label]:
        """List labels."""
        return self._list(self._at("/model/labels/"), filters)

    def change_labels(self, **fields: Unpack[LabelsRequest]) -> None:
        """Set folders and tags of many models."""
        self._put(self._at("/model/labels/"), fields)

    def get_label(self, label: Ref) -> Label:
        """Get a label."""
        return self._get(label)

    def delete_label(self, label: Ref) -> None:
        """Delete a label."""
        self._client.delete(label)

    def versions(self, **filters: Unpack[VersionsFilters]) -> Iterator[ModelVersion]:
        """List model versions."""
        return self._list(self._at("/model/versions/"), filters)

    def version(self, **fields: Unpack[ModelVersionRequest]) -> ModelVersion:
        """Create a model version."""
        return self._post(self._at("/model/versions/"), fields)

    def get_version(self, version: Ref) -> ModelVersion:
        """Get a model version."""
        return self._get(version)

    def change_version(self, version: Ref, /, **fields: Unpack[ModelVersionChange]) -> None:
        """Update a model version."""
        self._put(version, fields)

    def delete_version(self, version: Ref) -> None:
        """Delete a model version."""
        self._client.delete(version)

    def model_content(self, model: Ref, *, format: Filter = None) -> Rendition:
        """Get the URL of a model in another format."""
        return self._get(self._at("content/", model), format=format)

    def model_preview(self, model: Ref, *, triangles: Filter = None) -> Rendition:
        """Get the URL of the preview mesh of a model."""
        return self._get(self._at("preview/", model), triangles=triangles)

    def model_snapshots(
        self, model: Ref, /, **filters: Unpack[ModelSnapshotsFilters],
    ) -> Iterator[Snapshot]:
        """List snapshots."""
        return self._list(self._at("snapshot/", model), filters, "queue")

    def model_snapshot(self, model: Ref, /, **fields: Unpack[SnapshotRequest]) -> Snapshot:
        """Create a snapshot."""
        return self._post(self._at("snapshot/", model), fields)

    def get_model_snapshot(self, snapshot: Ref) -> Snapshot:
        """Get a snapshot."""
        return self._get(snapshot)

    def change_model_snapshot(self, snapshot: Ref, /, **fields: Unpack[SnapshotChange]) -> None:
        """Update a snapshot."""
        self._put(snapshot, fields)

    def delete_model_snapshot(self, snapshot: Ref) -> None:
        """Delete a snapshot."""
        self._client.delete(snapshot)

    def model_snapshot_events(
        self, snapshot: Ref, /, **filters: Unpack[EventsFilters],
    ) -> Iterator[Event]:
        """List events of a snapshot."""
        return self._list(self._at("events/", snapshot), filters)

    def model_snapshot_events_replay(self, snapshot: Ref, seq: object) -> Event:
        """Replay an event of a snapshot."""
        return self._post(self._at("events/{}/replay/", snapshot, seq), {})

    def model_thumbnail(self, model: Ref) -> Rendition:
        """Get the URL of the thumbnail of a model."""
        return self._get(self._at("thumbnail/", model))

    def model_transformation(
        self, model: Ref, /, **fields: Unpack[TransformationsRequest],
    ) -> Model:
        """Transform a model into a new one."""
        return self._post(self._at("transformation/", model), fields)

    def get_model(self, model: Ref) -> Model:
        """Get a model."""
        return self._get(model)

    def change_model(self, model: Ref, /, **fields: Unpack[ModelChange]) -> None:
        """Update a model."""
        self._put(model, fields)

    def delete_model(self, model: Ref) -> None:
        """Delete a model."""
        self._client.delete(model)

    def model_events(self, model: Ref, /, **filters: Unpack[EventsFilters]) -> Iterator[Event]:
        """List events of a model."""
        return self._list(self._at("events/", model), filters)

    def model_events_replay(self, model: Ref, seq: object) -> Event:
        """Replay an event of a model."""
        return self._post(self._at("events/{}/replay/", model, seq), {})
