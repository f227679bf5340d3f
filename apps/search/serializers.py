"""Indexed models and searches as the contract spells them."""

import re
from typing import Any

from django.http import QueryDict
from rest_framework import serializers

from apps.search.models import IndexedModel
from apps.search.services.similar import Question
from core.api.fields import Choice, StrictText, UriField
from core.api.lists import BadQuery
from core.api.waiting import Waiter
from core.errors import InvalidFields, ServiceError


class IndexedModelSerializer(Waiter):
    """A model that its owner wants to be found."""

    fixed_fields = ("model_uri",)

    name = StrictText(max_length=255, allow_blank=True)
    description = StrictText(max_length=1000, allow_blank=True)
    model_uri = UriField()
    status = Choice(choices=IndexedModel.Status.choices, read_only=True)
    error = serializers.CharField(read_only=True, allow_null=True)
    uri = serializers.CharField(read_only=True)
    user_uri = serializers.CharField(read_only=True)
    created = serializers.DateTimeField(read_only=True)
    updated = serializers.DateTimeField(read_only=True)


def indexed_model_resource(row: IndexedModel) -> dict[str, Any]:
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
    }


class AboutSerializer(serializers.Serializer):
    """Which search this is."""

    version = serializers.CharField()


class DeviationSerializer(serializers.Serializer):
    """How far the surfaces are apart, the worse way round: % of the match's diagonal, and mm."""

    mean = serializers.FloatField()
    max = serializers.FloatField()
    mean_mm = serializers.FloatField()
    max_mm = serializers.FloatField()
    resolution = serializers.FloatField(
        help_text="mm: about how far apart the measured points are; 0 where all were measured"
    )


class ResultSerializer(serializers.Serializer):
    """A similar model."""

    distance = serializers.FloatField()
    model = serializers.CharField()
    scale_factor = serializers.FloatField()
    percentage = serializers.FloatField()
    verdict = Choice(choices=["identical", "very_similar", "similar"])
    verified = serializers.BooleanField()
    transform = serializers.ListField(
        child=serializers.ListField(child=serializers.FloatField()), allow_null=True
    )
    mirrored = serializers.BooleanField(allow_null=True)
    deviation = DeviationSerializer(allow_null=True)
    symmetric = serializers.BooleanField(allow_null=True)
    unit_hint = serializers.CharField(allow_null=True)


class SimilarModelsSerializer(serializers.Serializer):
    """What was asked, as strings, and the results."""

    model = serializers.CharField()
    tolerance = serializers.CharField()
    number_of_results = serializers.CharField()
    min_percentage = serializers.CharField()
    max_percentage = serializers.CharField()
    pending = serializers.IntegerField(help_text="Candidates that are compared after this answer.")
    results = ResultSerializer(many=True)


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
    asked = dict(DEFAULTS)
    known = {f"filter[{name}]": name for name in ("model", *DEFAULTS)}
    for argument in arguments:
        if argument in known:
            asked[known[argument]] = str(arguments[argument]).strip()
        else:
            faults.append(
                BadQuery(
                    f"There is no argument {argument!r} here; there are: {', '.join(known)}.",
                    field=argument,
                )
            )
    if not asked.get("model"):
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

    tolerance = NAMES.get(asked["tolerance"], asked["tolerance"])
    if tolerance not in NAMES.values():
        fault("tolerance", "is 1, 2, 3, identical, very_similar or similar")
    number = asked["number_of_results"]
    if not re.fullmatch("[1-9][0-9]?|100", number):
        fault("number_of_results", "is a whole number from 1 to 100")
    percentages = {}
    for name in ("min_percentage", "max_percentage"):
        percentages[name] = _percentage(asked[name])
        if percentages[name] is None:
            fault(name, "is a number from 0 to 100")
    low, high = percentages.values()
    if low is not None and high is not None and low > high:
        fault("min_percentage", "is above filter[max_percentage]: exchange them")
    if asked["scope"] not in ("indexed", "readable"):
        fault("scope", "is indexed or readable")
    if asked["mirrored"] not in ("true", "false"):
        fault("mirrored", "is true or false")
    if faults:
        raise InvalidFields(faults)

    repeated = ("tolerance", "number_of_results", "min_percentage", "max_percentage")
    return Question(
        model=asked["model"],
        tolerance=tolerance,
        number_of_results=int(number),
        min_percentage=percentages["min_percentage"] or 0.0,
        max_percentage=percentages["max_percentage"] or 0.0,
        indexed_only=asked["scope"] == "indexed",
        mirrored=asked["mirrored"] == "true",
    ), {name: asked[name] for name in repeated}


def _percentage(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if 0 <= number <= 100 else None
