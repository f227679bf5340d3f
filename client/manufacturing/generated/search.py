"""Search: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

About = TypedDict("About", {"version": str})
IndexedModelsFilters = TypedDict("IndexedModelsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "model_uri": Filter,
    "name": Filter, "status": Filter, "uri": Filter, "queue": Filter, "search": dict[str, str],
    "sort": str, "limit": int,
}, total=False)
Place = TypedDict("Place", {"before": int, "seconds": int})
IndexedModel = TypedDict("IndexedModel", {
    "uri": str, "created": str, "updated": str, "user_uri": str, "queue": Place | None,
    "name": str | None, "description": str | None, "model_uri": str, "status": str,
    "error": str | None,
})
IndexedModelRequest = TypedDict("IndexedModelRequest", {
    "name": str | None, "description": str | None, "model_uri": Ref,
})
IndexedModelChange = TypedDict("IndexedModelChange", {
    "name": str | None, "description": str | None, "model_uri": Ref,
}, total=False)
SimilarModelsFilters = TypedDict("SimilarModelsFilters", {
    "max_percentage": Filter, "min_percentage": Filter, "mirrored": Filter, "model": Filter,
    "number_of_results": Filter, "scope": Filter, "tolerance": Filter,
}, total=False)
Deviation = TypedDict("Deviation", {
    "mean": float, "max": float, "mean_mm": float, "max_mm": float, "resolution": float,
})
Result = TypedDict("Result", {
    "distance": float, "model": str, "scale_factor": float, "percentage": float, "verdict": str,
    "verified": bool, "transform": list[list[float]] | None, "mirrored": bool | None,
    "deviation": Deviation | None, "symmetric": bool | None, "unit_hint": str | None,
})
SimilarModels = TypedDict("SimilarModels", {
    "model": str, "tolerance": str, "number_of_results": str, "min_percentage": str,
    "max_percentage": str, "pending": int, "results": list[Result],
})


class Search(Methods):
    """Search for models of similar shape."""

    NAME = "search"

    def about(self) -> About:
        """Get the API version."""
        return self._get(self._at("/about/"))

    def indexed_models(self, **filters: Unpack[IndexedModelsFilters]) -> Iterator[IndexedModel]:
        """List indexed models."""
        return self._list(self._at("/indexed-model/"), filters, "queue")

    def indexed_model(self, **fields: Unpack[IndexedModelRequest]) -> None:
        """Create an indexed model."""
        self._post(self._at("/indexed-model/"), fields)

    def get_indexed_model(self, indexed_model: Ref) -> IndexedModel:
        """Get an indexed model."""
        return self._get(indexed_model)

    def change_indexed_model(
        self, indexed_model: Ref, /, **fields: Unpack[IndexedModelChange],
    ) -> None:
        """Update an indexed model."""
        self._put(indexed_model, fields)

    def delete_indexed_model(self, indexed_model: Ref) -> None:
        """Delete an indexed model."""
        self._client.delete(indexed_model)

    def similar_models(self, **filters: Unpack[SimilarModelsFilters]) -> Iterator[SimilarModels]:
        """List models similar to a model."""
        return self._list(self._at("/similar-models/"), filters)
