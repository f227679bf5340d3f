"""Indexed models and searches as the contract spells them."""

import re
from typing import Annotated, Literal, TypedDict

from django.http import QueryDict

from apps.search.models import IndexedModel
from apps.search.services.similar import Match, Question
from core.api.fields import StrictSerializer, StrictText, UriField
from core.api.lists.list_queries import BadQuery, is_ignored
from core.api.openapi.response_types import OwnedAnswer, Uri
from core.api.queue_position import WithQueuePosition
from core.errors import InvalidFields, ServiceError
from geometry.similarity import Comparison, unit_hint


class IndexedModelSerializer(StrictSerializer):
    """An entry of the search index."""

    fixed_fields = ("model_uri",)

    name = StrictText(max_length=255, allow_blank=True)
    description = StrictText(max_length=1000, allow_blank=True)
    model_uri = UriField()


class IndexedModelAnswer(OwnedAnswer, WithQueuePosition):
    """An entry of the search index."""

    name: str | None
    description: str | None
    model_uri: Uri
    status: Annotated[str, IndexedModel.Status]
    error: str | None


def indexed_model_resource(row: IndexedModel) -> IndexedModelAnswer:
    """The contract's indexed model."""
    return {
        "uri": row.uri,
        "name": row.name or None,
        "description": row.description or None,
        "model_uri": row.model_uri,
        "status": row.status,
        "error": row.error or None,
        "user_uri": row.owner.uri,
        "created": row.created,
        "updated": row.updated,
        "queue": None,
    }


class AboutAnswer(TypedDict):
    """Which search this is."""

    version: str


class DeviationAnswer(TypedDict):
    """How far the surfaces are apart, the worse way round: % of the match's diagonal, and mm."""

    mean: float
    max: float
    mean_mm: float
    max_mm: float
    resolution: Annotated[
        float,
        "Approximate distance between sample points, mm; 0 if all points were compared.",
    ]


class ResultAnswer(TypedDict):
    """A similar model."""

    distance: float
    model: Uri
    scale_factor: float
    percentage: float
    verdict: Annotated[str, Literal["identical", "very_similar", "similar"]]
    verified: bool
    transform: list[list[float]] | None
    mirrored: bool | None
    deviation: DeviationAnswer | None
    symmetric: bool | None
    unit_hint: str | None


class SimilarModelsAnswer(TypedDict):
    """The query, as strings, and the results."""

    model: Uri
    tolerance: str
    number_of_results: str
    min_percentage: str
    max_percentage: str
    pending: Annotated[int, "Number of candidates still to be compared."]
    results: list[ResultAnswer]


def result_resource(match: Match) -> ResultAnswer:
    """A match as the contract writes it, and our own fields."""
    found = match.found
    return {
        "distance": found.distance,
        "model": match.model,
        "scale_factor": float(f"{found.scale_factor:.9g}"),
        "percentage": found.percentage,
        "verdict": found.verdict,
        "verified": found.verified,
        "transform": found.transform,
        "mirrored": found.mirrored,
        "deviation": _deviation(found) if found.verified else None,
        "symmetric": found.symmetric,
        "unit_hint": unit_hint(found.scale_factor),
    }


def _deviation(found: Comparison) -> DeviationAnswer:
    return {
        "mean": 100 * found.mean_share,
        "max": 100 * found.largest_share,
        "mean_mm": found.mean,
        "max_mm": found.largest,
        "resolution": found.resolution,
    }


# ---------------------------------------------------------------- searches

NAMES = {"1": "identical", "2": "very_similar", "3": "similar"}
DEFAULTS = {
    "tolerance": "similar",
    "number_of_results": "10",
    "min_percentage": "0",
    "max_percentage": "100",
    "scope": "indexed",
    "mirrored": "false",
}


def read_search(arguments: QueryDict) -> tuple[Question, dict[str, str]]:
    """A search's query arguments, and what the answer repeats of them, defaults filled in."""
    faults: list[ServiceError] = []
    texts = dict(DEFAULTS)
    properties = {f"filter[{name}]": name for name in ("model", *DEFAULTS)}
    for argument in arguments:
        if argument in properties:
            texts[properties[argument]] = str(arguments[argument]).strip()
        elif not is_ignored(argument):
            faults.append(
                BadQuery(
                    f"There is no argument {argument!r} here; there are: {', '.join(properties)}.",
                    field=argument,
                )
            )
    if not texts.get("model"):
        faults.append(
            BadQuery(
                "Say with filter[model] which model's like is searched: its URI, URL-encoded.",
                code="missing-parameter",
                field="filter[model]",
            )
        )

    def fault(name: str, words: str) -> None:
        code = "property-value-not-in-allowed-values"
        faults.append(BadQuery(f"filter[{name}] {words}.", code=code, field=f"filter[{name}]"))

    tolerance = NAMES.get(texts["tolerance"], texts["tolerance"])
    if tolerance not in NAMES.values():
        fault("tolerance", "is 1, 2, 3, identical, very_similar or similar")
    number = texts["number_of_results"]
    if not re.fullmatch("[1-9][0-9]?|100", number):
        fault("number_of_results", "is a whole number from 1 to 100")
    percentages = {}
    for name in ("min_percentage", "max_percentage"):
        percentages[name] = _percentage(texts[name])
        if percentages[name] is None:
            fault(name, "is a number from 0 to 100")
    low, high = percentages.values()
    if low is not None and high is not None and low > high:
        fault("min_percentage", "is above filter[max_percentage]: exchange them")
    if texts["scope"] not in ("indexed", "readable"):
        fault("scope", "is indexed or readable")
    if texts["mirrored"] not in ("true", "false"):
        fault("mirrored", "is true or false")
    if faults:
        raise InvalidFields(faults)

    repeated = ("tolerance", "number_of_results", "min_percentage", "max_percentage")
    return Question(
        model=texts["model"],
        tolerance=tolerance,
        number_of_results=int(number),
        min_percentage=percentages["min_percentage"] or 0.0,
        max_percentage=percentages["max_percentage"] or 0.0,
        indexed_only=texts["scope"] == "indexed",
        mirrored=texts["mirrored"] == "true",
    ), {name: texts[name] for name in repeated}


def _percentage(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None
