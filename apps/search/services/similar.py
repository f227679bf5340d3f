"""Similarity search: candidates, comparisons, ranked results."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import transaction

from apps.search.actors import compare_contents
from apps.search.domain import candidates, comparisons, descriptors, model_sources
from apps.search.domain.candidates import Candidate, Reach
from apps.search.domain.comparisons import Known
from apps.search.domain.descriptors import Subject
from apps.search.domain.model_sources import Source
from apps.search.models import IndexedModel
from core import uris
from core.auth_user import Person
from core.errors import ServiceError
from core.sandbox.sandbox import JobInputError
from geometry.similarity import TOLERANCES, Comparison, estimate

# Seconds that a request may spend on comparisons; what is left is compared afterwards.
TIMEOUT = 9.0
FIELD = "filter[model]"


class NotDescribable(ServiceError):
    """The file of the searched model is no mesh that has a shape."""

    code = "model-not-describable"


@dataclass(frozen=True)
class Question:
    """A search, understood. The percentages are inclusive.

    mirrored : whether a mirror image may be called identical
    """

    model: str
    tolerance: str = "similar"
    number_of_results: int = 10
    min_percentage: float = 0.0
    max_percentage: float = 100.0
    indexed_only: bool = True
    mirrored: bool = False


@dataclass(frozen=True)
class Rule:
    """How many candidates a tolerance looks at.

    most : of the nearest
    l1 : greatest distance of the descriptors
    """

    most: int
    l1: float


RULES = {"identical": Rule(20, 0.3), "very_similar": Rule(60, 0.9), "similar": Rule(200, 1.0)}
FEWEST = 20
SPARE = 5  # compared beyond the number of results that is asked for


class Match(NamedTuple):
    """A model, by its URI, and its alignment with the query model."""

    model: str
    found: Comparison


def find_similar(*, user: Person, question: Question) -> tuple[str, list[Match], int]:
    """Return the query model's URI, the results, and the number of candidates not yet compared.

    Those are compared in the background, so that a repeated search includes them.
    """
    source = _source(question.model, user)
    reach = Reach(user, source.uri, source.key, question.indexed_only)
    try:
        with descriptors.described(source, field=FIELD) as subject:
            found = _candidates(subject, reach, question)
            known, pending = _compared(subject, found, question)
    except JobInputError as error:
        raise NotDescribable(error.title, field=FIELD, details={"reason": error.code}) from error
    accepted = {
        candidate: comparison
        for candidate in found
        if (comparison := _judged(subject, candidate, known)) and _accepts(question, comparison)
    }
    return source.uri, _results(accepted, reach, question), pending


def _source(uri: str, user: Person) -> Source:
    """The searched model; of another server's that the caller has indexed, the stored file."""
    canonical = model_sources.canonical(uri, field=FIELD)
    if uris.resolve_uri(canonical) is None:
        row = IndexedModel.objects.filter(
            owner=user, model_uri=canonical, deleted=None, status=IndexedModel.Status.COMPLETE
        ).first()
        if row is not None:
            return Source(canonical, sha256=row.content_hash)
    return model_sources.find(canonical, user=user, field=FIELD)


def _candidates(subject: Subject, reach: Reach, question: Question) -> list[Candidate]:
    """Those worth a comparison, the nearest descriptor first."""
    rule = RULES[question.tolerance]
    most = min(rule.most, max(FEWEST, 2 * question.number_of_results))
    found = {item.sha256: item for item in candidates.alike(subject.description, reach)}
    if question.tolerance != "identical":
        found |= {
            item.sha256: item
            for item in candidates.nearest(subject.description, reach, most)
            if item.l1 <= rule.l1
        }
    return sorted(found.values(), key=lambda item: (item.l1, item.sha256))


def _compared(subject: Subject, found: list[Candidate], question: Question) -> tuple[Known, int]:
    """Return the comparisons completed within a request's time, and how many are left."""
    diagonals = {item.sha256: item.diagonal for item in found}
    if question.tolerance == "similar":  # the others are returned with their estimates
        few = list(diagonals)[: question.number_of_results + SPARE]
    else:
        few = list(diagonals)
    known = comparisons.recall(subject.sha256, diagonals)
    unknown = {sha256: diagonals[sha256] for sha256 in few if sha256 not in known}
    known |= comparisons.compare_now(subject, unknown, seconds=TIMEOUT)
    left = [sha256 for sha256 in unknown if sha256 not in known]
    if subject.kept:
        with transaction.atomic():
            for sha256 in left:
                compare_contents.send(*sorted((subject.sha256, sha256)))
    return known, len(left)


def _judged(subject: Subject, candidate: Candidate, known: Known) -> Comparison | None:
    """Return the comparison; an estimate where there is none."""
    found = known.get(candidate.sha256)
    if found is not None:
        return found
    distance, percentage = estimate(candidate.l1)
    nothing: Any = None
    return Comparison(
        verdict="similar",
        verified=False,
        percentage=percentage,
        scale_factor=candidate.rms / subject.description.rms,
        transform=nothing,
        mirrored=nothing,
        symmetric=nothing,
        largest=nothing,
        mean=nothing,
        largest_share=nothing,
        mean_share=nothing,
        distance=distance,
    )


def _accepts(question: Question, found: Comparison) -> bool:
    if not question.min_percentage <= found.percentage <= question.max_percentage:
        return False
    if not found.verified:
        return question.tolerance == "similar"
    if question.tolerance == "identical":
        image = found.mirrored and found.largest_share <= TOLERANCES["identical"]
        return found.verdict == "identical" or (question.mirrored and image)
    order = ["identical", "very_similar", "similar"]
    return found.verdict in order[: order.index(question.tolerance) + 1]


def _results(
    accepted: dict[Candidate, Comparison], reach: Reach, question: Question
) -> list[Match]:
    """Return the results to show, the most similar first."""
    most = question.number_of_results
    models = candidates.models_of([item.sha256 for item in accepted], reach, most)
    results = [
        Match(uri, found)
        for candidate, found in accepted.items()
        for uri in models.get(candidate.sha256, ())
    ]
    results.sort(key=lambda match: (match.found.distance, not match.found.verified, match.model))
    return results[:most]
